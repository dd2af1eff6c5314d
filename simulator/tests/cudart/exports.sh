# exports.sh NM OURS THEIRS: fails unless the libraries export the same functions under the same version.
functions() {  # but clcsim_attach (context/attached.h)
  "$nm" -D --defined-only "$1" | sed -n 's/.* [TW] \([^@]*@@.*\)/\1/p' | grep -v '^clcsim_' | sort
}
nm=$1
functions "$3" | grep -c . && diff <(functions "$2") <(functions "$3")
