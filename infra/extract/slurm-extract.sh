#!/bin/sh
# What Slurm knows, as files for `chargeback land`: each complete or absent, all times in UTC. Changes nothing in Slurm.
# Asks the cluster that this machine belongs to; --cluster is its ClusterName, in chargeback.toml too.
# Exit codes: 0 all written, 1 some command failed or said nothing (named on stderr; the others are written), 2 bad call.
set -eu

usage() {
    echo "usage: slurm-extract.sh --cluster NAME --out FOLDER [--days-back 3] [--bindings-only]" >&2
    exit 2
}

cluster='' out='' days_back=3 bindings_only=no
while [ $# -gt 0 ]; do
    case $1 in
        --cluster) cluster=${2:-}; shift ;;
        --out) out=${2:-}; shift ;;
        --days-back) days_back=${2:-}; shift ;;
        --bindings-only) bindings_only=yes ;;
        *) usage ;;
    esac
    [ $# -gt 0 ] && shift
done
case $cluster in ''|[!A-Za-z0-9]*|*[!A-Za-z0-9._-]*) usage ;; esac
case $days_back in ''|*[!0-9]*) usage ;; esac
[ -n "$out" ] || usage

# Slurm's clients print local time without an offset, in the form that SLURM_TIME_FORMAT says; translated headers would
# not be recognised.
TZ=UTC LC_ALL=C
export TZ LC_ALL
unset SLURM_TIME_FORMAT SLURM_BITSTR_LEN SACCT_FORMAT SACCT_FEDERATION SLURM_CLUSTERS || true
folder=$out/$cluster
instant=$(date -u +%Y%m%dT%H%M%SZ)
unit_separator=$(printf '\037')
failed=0
mkdir -p "$folder"

write() { # write NAME EXTENSION COMMAND...
    name=$1 extension=$2
    shift 2
    part=$folder/.$name-$instant.$$.part
    if "$@" >"$part" && [ -s "$part" ]; then
        sync "$part" 2>/dev/null || true # so that a power cut leaves no name without its bytes
        mv "$part" "$folder/$name-$instant-$$.$extension"
    else
        rm -f "$part"
        echo "slurm-extract: $1 failed or said nothing; no $name file was written" >&2
        failed=1
    fi
}

# JobName stands last: whatever a user puts in it shifts no other column.
fields=JobIDRaw,JobID,Cluster,User,Account,WCKey,Partition,QOS,State,Reason,Submit,Eligible,Start,End,ElapsedRaw,\
Suspended,TimelimitRaw,AllocTRES,ReqTRES,NNodes,NodeList,Reservation,DBIndex,ExitCode,Flags,SubmitLine,JobName

write bindings txt scontrol show job -d
if [ "$bindings_only" = no ]; then
    write nodes txt scontrol show node
    # -a everybody's, -X no steps, --duplicates earlier runs of requeued jobs too.
    write sacct psv sacct -a -X --duplicates -P --delimiter="$unit_separator" \
        -S "now-${days_back}days" -E now --format="$fields"
    write events psv sacctmgr -P show event "cluster=$cluster" "start=now-${days_back}days"
    write reservations psv sacctmgr -P show reservation "cluster=$cluster" "start=now-${days_back}days"
fi
exit "$failed"
