#!/usr/bin/env bash
# What `setup.sh book` says around its work, on a machine that has everything: first how long all of it takes, last what to open.
#   setup_book.sh COURSE FOLDER
set -euo pipefail
copy=$2/course
rm -rf "$2"
mkdir -p "$copy/common" "$copy/simulator/course/book" "$copy/build/setup/book" "$2/bin"
cp "$1/common/setup.sh" "$copy/common/"
cp "$1/simulator/course/book/requirements.txt" "$copy/simulator/course/book/"
cp "$1/simulator/course/book/requirements.txt" "$copy/build/setup/book/"
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$copy/../bin/$1" && chmod +x "$copy/../bin/$1"; }
stub nvcc 'case $1 in --version) echo "release 13.0, V13" ;; --list-gpu-arch) echo compute_100 ;; esac'
stub cmake 'case $1 in --version) echo "cmake version 3.31.0" ;; *) echo "what the build prints"; exit "${BUILD_STATUS:-0}" ;; esac'
for each in emcmake node ninja; do stub $each ''; done
run() { CUDACXX=$2/bin/nvcc PATH="$2/bin:$PATH" bash "$copy/common/setup.sh" book; }

said=$(run "$@")
[[ $said == "== setup: the book takes some "*" minutes on two idle cores: "*"what the build prints"*"
== setup: open $copy/build/book/index.html in a browser; it needs no server" ]] || { echo "$said"; exit 1; }
status=0
said=$(BUILD_STATUS=3 run "$@") || status=$?
[ $status = 3 ] && [[ $said != *"in a browser"* ]] || { echo "exit status $status: $said"; exit 1; }
