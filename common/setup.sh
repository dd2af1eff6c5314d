#!/usr/bin/env bash
# Makes a machine ready for the course, and starts it:
#   bash common/setup.sh tour         every chapter runs, on the GPU where it can, else on the simulated one
#   bash common/setup.sh test         all tests
#   bash common/setup.sh playground   the course in a browser: build/playground.html (Emscripten for it takes 1.5 GB)
#   bash common/setup.sh book         the course's pages as a site, in which programs run: build/book/index.html (the same)
#   bash common/setup.sh info         GPU, driver, toolkit and what runs where: installs nothing, for bug reports
# What is missing is installed, and said: packages with apt-get; a CUDA toolkit and a CMake, where this
# machine's are missing or too old, from PyPI into build/setup. Nothing else is changed, nothing is
# removed. Where nothing is missing, `cmake --workflow --preset tour` alone does the same.
set -euo pipefail

oldest_cuda=13.0 oldest_cmake=3.25  # chapters 05 and 06, and `cmake --workflow`, came with these
new_cuda=13.0.88 new_cmake=3.31     # from PyPI
course=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
setup=$course/build/setup
log=$setup/log.txt
nvcc='' cmake='' pip=()

say() { echo "== setup: $*"; }
stop() { echo "setup.sh: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }  # version, oldest

# Runs a command with a dot for each second. What it prints goes to the log.
quietly() {
  local status=0 dots
  while sleep 1 && kill -0 $$ 2>/dev/null; do printf .; done 9>&- &
  dots=$!
  # shellcheck disable=SC2064  # this process, not what the variable holds later
  trap "kill $dots 2>/dev/null" EXIT
  "$@" >>"$log" 2>&1 || status=$?
  kill $dots
  wait $dots 2>/dev/null || true
  trap - EXIT
  echo
  return $status
}

# ---- What is here -----------------------------------------------------------------------------

has_header() {
  [ -f "/usr/include/$1" ] || echo "#include <$1>" | "${CXX:-g++}" -x c++ -E - >/dev/null 2>&1
}

cuda_version() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p'; }

from_cache() { sed -n "s/^$1:[A-Z]*=//p" "$course/build/CMakeCache.txt" 2>/dev/null || true; }

# Sets nvcc to the first that is new enough; `passed_over` says what is wrong with the others.
find_nvcc() {
  local candidate version
  nvcc='' passed_over=''
  for candidate in "${CUDACXX:-}" "$(from_cache CMAKE_CUDA_COMPILER)" "$(command -v nvcc || true)" \
    "${CUDA_PATH:-}/bin/nvcc" "${CUDA_HOME:-}/bin/nvcc" /usr/local/cuda/bin/nvcc \
    "$setup/cuda/bin/nvcc"; do
    if [ ! -x "$candidate" ] || [[ $passed_over == *"$candidate is"* ]]; then
      continue
    fi
    version=$(cuda_version "$candidate")
    if ! at_least "${version:-0}" $oldest_cuda; then
      passed_over+="$candidate is CUDA ${version:-of no version that it tells}, too old; "
    elif ! "$candidate" --list-gpu-arch | grep -x compute_100 >/dev/null; then
      passed_over+="$candidate is CUDA $version without compute_100; "
    else
      nvcc=$candidate
      return
    fi
  done
}

find_cmake() {
  local candidate
  for candidate in "$(command -v cmake || true)" "$setup/cmake/data/bin/cmake"; do
    if [ -x "$candidate" ] &&
      at_least "$("$candidate" --version | sed -n 's/^cmake version //p')" $oldest_cmake; then
      cmake=$candidate
      return
    fi
  done
}

# Debian's pip installs into no system folder; into a folder of one's own it does.
find_pip() {
  pip=()
  if python3 -m pip --version >/dev/null 2>&1; then
    pip=(python3 -m pip)
  elif python3 -c 'import ensurepip, venv' >/dev/null 2>&1; then
    pip=("$setup/python/bin/python" -m pip)
  fi
}

# A cmake that apt-get would install is new enough, as far as apt-get knows.
apt_has_cmake() {
  local version
  version=$(apt-cache policy cmake 2>/dev/null | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
  have apt-get && { [ -z "$version" ] || at_least "$version" $oldest_cmake; }
}

for_browser() { [ "$what" = playground ] || [ "$what" = book ]; }

missing_packages() {
  have "${CXX:-g++}" || echo g++
  have ninja || echo ninja-build
  has_header zstd.h || echo libzstd-dev
  has_header lz4.h || echo liblz4-dev
  [ "$what" != test ] || has_header doctest/doctest.h || echo doctest-dev
  [ "$what" != test ] || have python3 || echo python3
  [ "$what" != book ] || have python3 || echo python3
  [ "$what" != book ] || [ ${#pip[@]} -gt 0 ] || echo python3-venv
  ! for_browser || have emcmake || echo emscripten
  ! for_browser || have node || echo nodejs
  if [ -z "$cmake" ] && ! have cmake && apt_has_cmake; then
    echo cmake
  elif [ -z "$cmake" ] && [ ${#pip[@]} = 0 ]; then
    echo python3-venv
  fi
  [ -n "$nvcc" ] || [ ${#pip[@]} -gt 0 ] || echo python3-venv
}

# ---- Installing -------------------------------------------------------------------------------

install_packages() {
  local packages root=()
  packages=$(missing_packages | sort -u | paste -sd ' ')
  [ -n "$packages" ] || return 0
  have apt-get || stop "this machine lacks what Debian calls $packages, and has no apt-get: install it" \
    "with the package manager that it has, and run this again."
  if [ "$(id -u)" != 0 ]; then
    if ! have sudo || ! { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
      stop "this machine lacks $packages; an administrator installs that with: apt-get install $packages"
    fi
    root=(sudo)
  fi
  say "apt-get installs what this machine lacks: $packages"
  [[ " $packages " != *" emscripten "* ]] ||
    say "Emscripten, 1.5 GB on the disk, compiles clcsim for the browser"
  quietly apt_install "$packages" "${root[@]}" ||
    stop "apt-get could not install $packages; are there a network and room on the disk? $log has what it said."
}

apt_install() {  # "packages" [sudo]
  # shellcheck disable=SC2086  # a list
  "${@:2}" apt-get update && "${@:2}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $1
}

# What is interrupted leaves nothing that looks whole: each thing is renamed to its place at its end.
wheels() {
  if ! have "${pip[0]}"; then  # it is the one of build/setup/python
    python3 -m venv --clear "$setup/python.new" && mv -T "$setup/python.new" "$setup/python"
  fi
  "$@"
}

install_nvcc() {
  [ -z "$nvcc" ] || return 0
  say "CUDA ${new_cuda%.*} comes from PyPI into build/setup/cuda (105 MB, 271 MB unpacked):" \
    "${passed_over:-there is no nvcc here; }the course needs $oldest_cuda or newer"
  quietly wheels bash "$course/common/toolkit.sh" $new_cuda "$setup/cuda" "${pip[@]}" ||
    stop "PyPI's CUDA toolkit could not be installed; is there a network? $log has what pip said."
  nvcc=$setup/cuda/bin/nvcc
}

install_cmake() {
  [ -z "$cmake" ] || return 0
  say "CMake $new_cmake comes from PyPI into build/setup/cmake (28 MB, 78 MB unpacked): the course needs $oldest_cmake or newer"
  quietly wheels "${pip[@]}" install --no-deps --no-compile --no-cache-dir --upgrade \
    --target "$setup/cmake.new" "cmake==$new_cmake.*" ||
    stop "PyPI's CMake could not be installed; is there a network? $log has what pip said."
  mv -T "$setup/cmake.new/cmake" "$setup/cmake"
  cmake=$setup/cmake/data/bin/cmake
}

install_book() {
  local wanted=$course/simulator/course/book/requirements.txt
  [ "$what" = book ] && ! cmp -s "$wanted" "$setup/book/requirements.txt" || return 0
  say "Sphinx and typefaces come from PyPI into build/setup/book (22 MB, 82 MB unpacked): they make the book"
  rm -rf "$setup/book"
  local install=("${pip[@]}" install --no-compile --no-cache-dir --upgrade --target "$setup/book.new")
  quietly wheels "${install[@]}" -r "$wanted" &&
    quietly "${install[@]}" --no-deps "$(sed -n 's/.*: \(mkdocs-shadcn\)/\1/p' "$wanted")" ||
    stop "PyPI's Sphinx could not be installed; is there a network? $log has what pip said."
  cp "$wanted" "$setup/book.new/"
  mv -T "$setup/book.new" "$setup/book"
}

# ---- Before anything is installed or built ----------------------------------------------------

check_place() {
  local bad
  bad=$(tr -dc "][\"'\`,;:|\$\\\\" <<<"$course")
  [ -z "$bad" ] ||
    stop "the folder $course has the character ${bad:0:1} in its path, with which compilers or loader can't" \
      "work: rename it. (Spaces are fine.)"
  [ "$(uname -s)" = Linux ] ||
    stop "this is $(uname -s), and the course needs Linux: common/SETUP.md says how to get one (WSL2, a container)."
  [ -z "${CXX:-}" ] || have "${CXX%% *}" || stop "CXX names $CXX, which isn't here: install it, or unset CXX."
  { mkdir -p "$setup" && : >>"$log"; } 2>/dev/null ||
    stop "the folder $course/build can't be written: clone the course where you may write."
}

# Two that install or build in one folder disturb each other. Whoever ends, also by kill, gives it back;
# what was interrupted is cleared away. CMake inherits the lock.
take_folder() {
  exec 9>"$setup/lock"
  flock -n 9 || stop "another setup.sh works in $course/build: wait until it is over."
  rm -rf "$setup"/cuda.?????? "$setup"/*.new
}

check_space() {
  local needed=50 free  # with what is there for a moment only; measured, and rounded up
  [ "$what" = tour ] || needed=150
  [ "$what" != book ] || needed=$((needed + 150))
  ! for_browser || have emcmake || needed=$((needed + 1500))
  [ -n "$nvcc" ] || needed=$((needed + 420))
  [ -n "$cmake" ] || needed=$((needed + 120))
  free=$(df -BM --output=avail "$setup" | tr -dc 0-9)
  [ "$free" -ge $needed ] ||
    stop "the disk of $course has $free MB left, and this takes $needed MB: make room, or clone it elsewhere."
}

check_compilers() {
  echo '__global__ void kernel() {}  int main() {}' >"$setup/probe.cu"
  "$nvcc" -cudart shared -gencode arch=compute_100a,code=compute_100a -o "$setup/probe" "$setup/probe.cu" \
    >>"$log" 2>&1 || stop "$nvcc can't compile a program for 100a with this machine's compiler; $log has what it said."
}

# A build folder that was configured for another place or with another nvcc is configured anew.
fresh() {
  if [ -f "$course/build/CMakeCache.txt" ] &&
    { [ "$(from_cache CMAKE_HOME_DIRECTORY)" != "$course" ] ||
      [ "$(from_cache CMAKE_CUDA_COMPILER)" != "$nvcc" ]; }; then
    echo --fresh
  fi
}

# ---- What a bug report needs ------------------------------------------------------------------

# The version in CCCL's own header, as 3.0.2.
cccl_version() {  # include folder of a toolkit
  sed -n 's/^#define CCCL_VERSION  *\([0-9]\{1,\}\).*/\1/p' "$1"/{cccl/,}cuda/std/__cccl/version.h 2>/dev/null |
    sed -n '1s/\([0-9]*\)\([0-9]\{3\}\)\([0-9]\{3\}\)$/\1 \2 \3/p' | { read -r a b c && echo "$a.$((10#$b)).$((10#$c))"; }
}

info() {
  local gpus capability
  find_nvcc
  find_cmake
  gpus=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader 2>/dev/null) || gpus=none
  capability=$(sed -n '1s/^[^,]*, *\([0-9]*\)\..*/\1/p' <<<"$gpus")
  echo "course: $(git -C "$course" describe --always --dirty 2>/dev/null || echo "not a git clone")"
  echo "system: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release), $(uname -srm), $(nproc) cores"
  echo "GPU, compute capability, driver: $gpus"
  echo "host compiler: $("${CXX:-g++}" --version 2>/dev/null | head -n 1)"
  if [ -n "$nvcc" ]; then
    echo "CUDA toolkit: $nvcc, $("$nvcc" --version | sed -n 's/^Cuda compilation.*, //p')"
    echo "CCCL: $(cccl_version "${nvcc%/bin/nvcc}/include")"
  else
    echo "CUDA toolkit: ${passed_over:-none; setup.sh installs one}"
  fi
  if [ -n "$cmake" ]; then
    echo "CMake: $cmake, $("$cmake" --version | sed -n 's/^cmake version //p')"
  else
    echo "CMake: none of $oldest_cmake or newer; setup.sh installs one"
  fi
  if [ "${capability:-0}" -ge 10 ]; then
    echo "what runs where: all chapters run on this GPU"
  elif [ -n "$capability" ]; then
    echo "what runs where: chapters that steal need compute capability 10.0 and run on clcsim, the others on this GPU"
  else
    echo "what runs where: all chapters run on clcsim"
  fi
}

# -----------------------------------------------------------------------------------------------

what=${1:-}
case $#:$what in
  1:tour | 1:test | 1:playground | 1:book) ;;
  1:info) info; exit ;;
  0:*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
  *) stop "'$*' is neither tour nor test nor playground nor book nor info." ;;
esac
check_place
take_folder
case $what in
  book) say "the book takes some six minutes on two idle cores: a minute for packages, four to compile, one for its pages" ;;
  playground) say "the playground takes some four minutes on two idle cores, and a minute for packages" ;;
esac
find_nvcc
[ -z "$nvcc" ] || [ -z "$passed_over" ] || say "${passed_over}so $nvcc is taken"
find_cmake
find_pip
check_space
install_packages
find_cmake
find_pip
install_packages  # pip for a CMake, if apt-get had too old a one
find_pip
install_nvcc
install_cmake
install_book
check_compilers
others=''  # folders that the user's shell doesn't search
[ "$(command -v nvcc || true)" = "$nvcc" ] || others+=${nvcc%/*}:
[ "$(command -v cmake || true)" = "$cmake" ] || others+=${cmake%/*}:
cd "$course"
export CUDACXX=$nvcc PATH=${cmake%/*}:$PATH CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
# shellcheck disable=SC2046  # an option or none
cmake --workflow --preset "$what" $(fresh) || status=$?
say "$what took $((SECONDS / 60)) min $((SECONDS % 60)) s"
[ -z "$others" ] || say "so that this shell finds nvcc and cmake, type: export PATH=\"$others\$PATH\""
case ${status:-0}$what in
  0book) say "open $course/build/book/index.html in a browser; it needs no server" ;;
  0playground) say "open $course/build/playground.html in a browser; it needs no server" ;;
esac
exit ${status:-0}
