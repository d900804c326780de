#!/bin/sh
# Which GPUs, by UUID, a Slurm job got on this host: `scontrol` shows numbers only, and only while the job runs.
# As Prolog and as Epilog of slurmd it keeps one line per job in a spool folder; it always ends with 0, since anything
# else would drain the node, and says on stderr (slurmd's log) what it could not find out.
#   --collect     prints the lines of this host, for `chargeback land --source slurm/bindings`; forgets old ones
#   --device-map  prints which number is which GPU, for `chargeback land --source slurm/devices`
# Exit codes of these two: 0 printed, 1 not known, 2 bad call.
set -u

spool=${CHARGEBACK_GPU_SPOOL:-/var/spool/chargeback-gpus}
days_kept=3
longest_seconds=20
host=${SLURMD_NODENAME:-$(hostname -s)}

usage() {
    echo "usage: slurm-prolog-gpus.sh [--collect | --device-map]; without either by slurmd, as Prolog and Epilog" >&2
    exit 2
}

devices() { # minor,nvml_index,uuid of each GPU, in NVML's order
    timeout "$longest_seconds" nvidia-smi -q 2>/dev/null | awk '
        /^GPU [0-9A-Fa-f]+:/ { at = count++ }
        count && /^ +GPU UUID +:/ { uuid[at] = $NF }
        count && /^ +Minor Number +:/ { minor[at] = $NF }
        END { for (at = 0; at < count; at++) if (minor[at] ~ /^[0-9]+$/ && uuid[at] ~ /^GPU-/)
            printf "%s,%s,%s\n", minor[at], at, uuid[at] }'
}

uuids_of_job() { # comma-separated; fails, saying why, if a number names no GPU
    case ${CUDA_VISIBLE_DEVICES:-} in
        *GPU-*|*MIG-*) echo "$CUDA_VISIBLE_DEVICES"; return 0 ;;
    esac
    known=$(devices)
    found=''
    for minor in $(echo "${SLURM_JOB_GPUS:-${CUDA_VISIBLE_DEVICES:-}}" | tr ',' ' '); do
        uuid=$(echo "$known" | awk -F, -v minor="$minor" '$1 == minor { print $3 }')
        if [ -z "$uuid" ]; then
            echo "slurm-prolog-gpus: job $SLURM_JOB_ID has device $minor, which nvidia-smi does not name" >&2
            return 1
        fi
        found=${found:+$found,}$uuid
    done
    echo "$found"
}

started_at() { # seconds since 1970
    case ${SLURM_JOB_START_TIME:-} in
        ''|*[!0-9]*) ;;
        *) echo "$SLURM_JOB_START_TIME"; return 0 ;;
    esac
    # Before Slurm 23.02 the prolog is not told. Without an offset, so the zone is set.
    told=$(TZ=UTC LC_ALL=C timeout "$longest_seconds" scontrol -o show job "$SLURM_JOB_ID" 2>/dev/null |
        sed -n 's/.* StartTime=\([0-9T:-]*\) .*/\1/p' | tail -n 1)
    [ -n "$told" ] && date -u -d "$told" +%s
}

keep() { # keep FILE LINE: complete or absent
    part=$spool/.$$.part
    if ! { mkdir -p "$spool" && echo "$2" >"$part" && mv "$part" "$1"; } 2>/dev/null; then
        rm -f "$part"
        echo "slurm-prolog-gpus: cannot write $1" >&2
    fi
}

begin() {
    [ -n "${SLURM_JOB_GPUS:-}${CUDA_VISIBLE_DEVICES:-}" ] || return 0
    uuids=$(uuids_of_job) || return 0
    start=$(started_at)
    if [ -z "$start" ]; then
        echo "slurm-prolog-gpus: nobody says when job $SLURM_JOB_ID started" >&2
        return 0
    fi
    keep "$spool/$SLURM_JOB_ID-$start.line" "$SLURM_JOB_ID|$start|$host|$uuids|"
}

end() {
    for file in "$spool/$SLURM_JOB_ID"-*.line; do
        [ -f "$file" ] || continue
        line=$(cat "$file")
        case $line in *'|') keep "$file" "$line$(date +%s)" ;; esac
    done
}

collect() {
    echo 'job_id|start_epoch|host|uuids|end_epoch'
    forgotten=$(($(date +%s) - days_kept * 86400))
    for file in "$spool"/*.line; do
        [ -f "$file" ] || continue
        line=$(cat "$file")
        echo "$line"
        ended=${line##*|}
        if [ -n "$ended" ] && [ "$ended" -lt "$forgotten" ]; then rm -f "$file"; fi
    done
}

device_map() {
    known=$(devices)
    if [ -z "$known" ]; then
        echo "slurm-prolog-gpus: nvidia-smi names no GPU on $host" >&2
        return 1
    fi
    echo 'host,minor,nvml_index,uuid'
    echo "$known" | sed "s/^/$host,/"
}

case ${1:-} in
    --collect) collect ;;
    --device-map) device_map ;;
    '')
        [ -n "${SLURM_JOB_ID:-}" ] || usage
        case ${SLURM_SCRIPT_CONTEXT:-prolog_slurmd} in epilog*) end ;; *) begin ;; esac
        exit 0
        ;;
    *) usage ;;
esac
