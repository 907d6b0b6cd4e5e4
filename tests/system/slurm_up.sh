#!/usr/bin/env bash
# Start a real Slurm of two nodes on this machine, all of it inside one folder: keys, sockets, database, state, logs.
#   tests/system/slurm_up.sh FOLDER                        its sbatch, squeue, ... are then in FOLDER/bin
#   tests/system/slurm_up.sh FOLDER --without-accounting   the same without slurmdbd and its database
#   tests/system/slurm_down.sh FOLDER                      stops it
# Needs root, and the programs of Debian's slurm-wlm and munge; for accounting, those of slurmdbd, mariadb-server-core
# and mariadb-client-core. It kills jobs that exceed their memory, and gives a node up that has not answered for ten
# seconds, so that tests need not wait for minutes.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
case ${2-} in
"") accounting=yes ;;
--without-accounting) accounting=no ;;
*)
    echo "slurm_up: the only option is --without-accounting, not $2" >&2
    exit 1
    ;;
esac
host=$(hostname -s)

wait_until() { # SENTENCE COMMAND...
    local what=$1
    shift
    local until=$((SECONDS + 90))
    while [ $SECONDS -lt $until ]; do
        timeout 10 "$@" >/dev/null 2>&1 && return
        sleep 0.25
    done
    echo "slurm_up: $what; see the logs in $folder" >&2
    exit 1
}

# Ports that nobody uses, so that it can stand beside another Slurm.
read -r controller_port accounting_port port1 port2 < <(python3 - <<'PYTHON'
import socket

sockets = [socket.socket() for _ in range(4)]
for each in sockets:
    each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in sockets))
PYTHON
)

chmod 755 "$folder"
mkdir -p "$folder"/{bin,munge,state,spool}
chmod 755 "$folder/munge"
head -c 1024 /dev/urandom >"$folder/munge/key"
chmod 400 "$folder/munge/key"
munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge/seed" --force
wait_until "munged does not answer" munge --socket="$folder/munge/socket" --no-input

# SlurmdTimeout: a node that has been silent for so long is down, and its jobs have failed.
# JobAcctGather: memory is measured every second, and a job with more than it asked for is killed.
# MinJobAge: squeue knows finished jobs for an hour, by which slow tests are over.
# Two nodes share the machine, so that one is left when the other goes down. Each has half of the cores and claims all of
# the memory: a small machine's half would be too little for the second attempt of a job.
cpus=$((($(nproc) + 1) / 2))
megabytes=$(awk '/MemTotal/ {print int($2 / 1024) - 256}' /proc/meminfo)
cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
KillWait=2
MinJobAge=3600
SchedulerParameters=sched_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$port1 CPUs=$cpus RealMemory=$megabytes
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$port2 CPUs=$cpus RealMemory=$megabytes
PartitionName=main Nodes=node1,node2 Default=YES MaxTime=1-0 State=UP
CONF
# The executor plugin takes SLURM_CONF from the environment of its job steps, so the commands bring it themselves.
export SLURM_CONF=$folder/slurm.conf
for name in sacct sacctmgr sbatch scancel scontrol sinfo squeue srun sshare; do
    printf '#!/bin/sh\nSLURM_CONF=%s exec %s "$@"\n' "$SLURM_CONF" "$(command -v $name)" >"$folder/bin/$name"
    chmod +x "$folder/bin/$name"
done

if [ $accounting = yes ]; then
    # A database that only listens to a socket in the folder, and lets root in without a password. It need not survive a
    # loss of power.
    database=(--no-defaults --user=root --datadir="$folder/database" --innodb-log-file-size=16M
        --innodb-flush-log-at-trx-commit=0)
    mariadb-install-db "${database[@]}" --auth-root-authentication-method=socket --skip-test-db \
        >"$folder/mariadb-install-db.log" 2>&1
    mariadbd "${database[@]}" --skip-networking --socket="$folder/database.socket" --pid-file="$folder/mariadbd.pid" \
        --log-error="$folder/mariadbd.log" </dev/null >/dev/null 2>&1 &
    wait_until "mariadbd does not answer" mariadb --no-defaults --socket="$folder/database.socket" --execute "select 1"
    cat >"$folder/slurmdbd.conf" <<CONF
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$accounting_port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
PidFile=$folder/slurmdbd.pid
LogFile=$folder/slurmdbd.log
CONF
    chmod 600 "$folder/slurmdbd.conf"
    # Only users that are known may submit jobs, as on most clusters.
    cat >>"$folder/slurm.conf" <<CONF
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$accounting_port
AccountingStoragePass=$folder/munge/socket
AccountingStorageEnforce=associations
CONF
    MYSQL_UNIX_PORT=$folder/database.socket slurmdbd
    wait_until "slurmdbd does not answer" sacctmgr --noheader list cluster
    {
        sacctmgr --immediate add cluster test
        sacctmgr --immediate add account testers
        sacctmgr --immediate add user root account=testers
        sacctmgr --immediate modify user root set defaultaccount=testers
    } >"$folder/sacctmgr.log" || {
        cat "$folder/sacctmgr.log" >&2
        exit 1
    }
else
    echo AccountingStorageType=accounting_storage/none >>"$folder/slurm.conf"
fi

slurmctld -f "$SLURM_CONF"
wait_until "slurmctld does not answer" scontrol ping
slurmd -f "$SLURM_CONF" -N node1
slurmd -f "$SLURM_CONF" -N node2
wait_until "the nodes did not come up" sh -c '[ "$(sinfo --noheader --Node --format %T)" = "idle
idle" ]'
echo "slurm_up: $(sinfo --version) is up, with two nodes; accounting: $accounting"
