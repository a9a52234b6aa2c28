#!/bin/sh
# All six: examples/all.sh DATA [WORK]; what DATA must hold is said in prepare.py. WORK is where
# files and models go, a new folder if none is named.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${1:?which folder holds the data?}
work=${2:-$(mktemp -d)}
python3 "$here/prepare.py" "$data" "$work"
cd "$work"
for name in adult sms newsgroups a9a covtype mnist; do
  sh "$here/$name.sh"
  rosenblatt evaluate $name/model.rbt "$(ls -d $name/test.* $name/t10k-images* 2>/dev/null)"
done
