#!/bin/sh
# The last words of `make test`: which real components were not there, so what was left out.
left=""
command -v chromium >/dev/null 2>&1 || left="$left
  - the UI and the statement in a real browser: Debian package chromium"
command -v hledger >/dev/null 2>&1 || left="$left
  - the journal in a real ledger program: Debian package hledger"
command -v bean-check >/dev/null 2>&1 || left="$left
  - posted documents in a second ledger program: Debian package beancount"
command -v "${KUBE_APISERVER:-kube-apiserver}" >/dev/null 2>&1 || left="$left
  - the listing from a real kube-apiserver: make apiserver-test says how"
command -v prometheus >/dev/null 2>&1 || left="$left
  - telemetry from a real Prometheus: Debian package prometheus"
set -- /usr/lib/postgresql/*/bin/postgres
[ -x "$1" ] || left="$left
  - two backfills at once on a real PostgreSQL: Debian package postgresql"
[ -d "${SHARED:-../shared}/data" ] || left="$left
  - public sacct files and dumps: set SHARED to the folder that holds them"
if [ -n "$left" ]; then
  echo "left out, since it is not here (root or sudo installs Debian packages by itself):$left"
else
  echo "nothing was left out"
fi
