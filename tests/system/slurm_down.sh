#!/usr/bin/env bash
# Stop the Slurm that slurm_up.sh started in a folder, each daemon by its own pid file.
set -u
folder=$(cd "$1" && pwd) || exit 1
for daemon in slurmd.node1 slurmd.node2 slurmctld slurmdbd mariadbd munged; do
    pid=$(cat "$folder/$daemon.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null
    for _ in $(seq 40); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.25
    done
done
# Without cgroups, Slurm loses sight of a process of a job whose parent has ended. It is known by the cluster's name.
for process in /proc/[0-9]*; do
    if tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qxF "SLURM_CONF=$folder/slurm.conf"; then
        kill -KILL "${process#/proc/}" 2>/dev/null
    fi
done
exit 0
