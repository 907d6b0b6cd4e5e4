#!/usr/bin/env bash
# Stop the Slurm that slurm_up.sh started in a folder, each daemon by its own pid file.
set -u
for daemon in slurmd slurmctld munged; do
    pid=$(cat "$1/$daemon.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null
    for _ in $(seq 40); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.25
    done
done
