#!/usr/bin/env bash
# Start a real Slurm of one node on this machine, all of it inside one folder: keys, sockets, state, logs.
#   tests/system/slurm_up.sh FOLDER       its sbatch, squeue, ... are then in FOLDER/bin
#   tests/system/slurm_down.sh FOLDER     stops it
# Needs root, and the programs of Debian's slurm-wlm and munge. It has no accounting, kills jobs that exceed their
# memory, and gives a node up that has not answered for ten seconds, so that tests need not wait for minutes.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
host=$(hostname -s)

wait_until() { # SENTENCE COMMAND...
    local what=$1
    shift
    for _ in $(seq 240); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.25
    done
    echo "slurm_up: $what; see the logs in $folder" >&2
    exit 1
}

# Ports that nobody uses, so that it can stand beside another Slurm.
read -r controller_port node_port < <(python3 - <<'PYTHON'
import socket

sockets = [socket.socket() for _ in range(2)]
for each in sockets:
    each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in sockets))
PYTHON
)

chmod 755 "$folder"
mkdir -p "$folder"/{munge,state,spool}
chmod 755 "$folder/munge"
head -c 1024 /dev/urandom >"$folder/munge/key"
chmod 400 "$folder/munge/key"
munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge/seed" --force
wait_until "munged does not answer" munge --socket="$folder/munge/socket" --no-input

# SlurmdTimeout: a node that has been silent for so long is down, and its jobs have failed.
# JobAcctGather: memory is measured every second, and a job with more than it asked for is killed.
# MinJobAge: squeue knows finished jobs for an hour, by which slow tests are over.
cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
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
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 Port=$node_port CPUs=$(nproc) RealMemory=$(awk '/MemTotal/ {print int($2 / 1024) - 256}' /proc/meminfo)
PartitionName=main Nodes=$host Default=YES MaxTime=1-0 State=UP
CONF
# The executor plugin takes SLURM_CONF from the environment of its job steps, so the commands bring it themselves.
export SLURM_CONF=$folder/slurm.conf
mkdir -p "$folder/bin"
for name in sbatch scancel scontrol sinfo squeue srun; do
    printf '#!/bin/sh\nSLURM_CONF=%s exec %s "$@"\n' "$SLURM_CONF" "$(command -v $name)" >"$folder/bin/$name"
    chmod +x "$folder/bin/$name"
done
slurmctld -f "$SLURM_CONF"
wait_until "slurmctld does not answer" scontrol ping
slurmd -f "$SLURM_CONF" -N "$host"
wait_until "the node did not come up" sh -c 'sinfo --noheader --format %T | grep -qx idle'
echo "slurm_up: $(sinfo --version) is up, with one node of $(nproc) CPUs"
