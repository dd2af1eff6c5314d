#!/usr/bin/env bash
# Runs a command that nobody has read:
#   sandbox.sh [--see FOLDER]... [--write FOLDER] [--in FOLDER] COMMAND...
# Where bubblewrap (bwrap) works, the command has no network and no process of yours in sight. It sees the system's
# programs, the folders to see and to write to, and nothing else; what it writes elsewhere is in memory (64 MB at most, where bwrap
# has --size, as it does from 0.7 on) and gone at its end.
# Everywhere it has nothing of your environment, and limits, which these variables change:
#   CLC_SANDBOX_SECONDS    until it is killed (150)         CLC_SANDBOX_KB         of memory, for each process (4000000)
#   CLC_SANDBOX_PROCESSES  and threads (64 + 2 for a core)  CLC_SANDBOX_FILE_KB    of each file that it writes (50000)
#   sandbox.sh --works     whether bubblewrap works here
set -uo pipefail

works() { bwrap --ro-bind / / --dev /dev --proc /proc --perms 0755 --tmpfs /tmp --clearenv --unshare-all /bin/true 2>/dev/null; }
[ "${1:-}" != --works ] || { works; exit; }

see=() write= in=/tmp
while [ $# -gt 0 ]; do
  case $1 in
    --see) see+=("$2"); shift 2 ;;
    --write) write=$2; shift 2 ;;
    --in) in=$2; shift 2 ;;
    *) break ;;
  esac
done
seconds=${CLC_SANDBOX_SECONDS:-150} processes=${CLC_SANDBOX_PROCESSES:-$((64 + 2 * $(nproc)))}
limits="ulimit -v ${CLC_SANDBOX_KB:-4000000} -f ${CLC_SANDBOX_FILE_KB:-50000} -t $seconds -c 0"

if ! works; then
  # All processes of the user count, so those that run now are added.
  processes=$((processes + $(ps -L -u "$(id -u)" --no-headers | wc -l)))
  cd "$in" || exit 2
  exec timeout -k 5 "$seconds" env -i PATH="$PATH" HOME="${write:-/}" TMPDIR="${write:-/tmp}" \
    bash -c "$limits -u $processes && exec \"\$@\"" sandbox "$@"
fi

view=() ways=() system=(/usr /bin /sbin /lib /lib32 /lib64 /etc /nix)
for path in "${system[@]}"; do
  [ ! -e "$path" ] || view+=(--ro-bind "$path" "$path")
done
while read -rd : path; do  # of /opt, where anything may lie, the folders that have programs
  [[ $path != /opt/*/bin ]] || see+=("${path%/bin}")
done <<<"$PATH:"
for path in "${see[@]}"; do  # a toolkit may be a link to another place
  [ "$(readlink -f "$path")" = "$path" ] || see+=("$(readlink -f "$path")")
done
for path in "${see[@]}" ${write:+"$write"}; do
  [ "$path" = "$write" ] || [[ " ${system[*]} " != *" /$(cut -d/ -f2 <<<"$path") "* ]] || continue
  [ "$path" = "$write" ] && view+=(--bind "$path" "$path") || view+=(--ro-bind "$path" "$path")
  # Every user may enter the folders on the way to it.
  while path=$(dirname "$path") && [ "$path" != / ]; do ways=(--perms 0755 --dir "$path" "${ways[@]}"); done
done
# Root has no limit of processes, so it becomes somebody else: inside, and not as the user of a namespace, who would be root
# outside. All processes of a user count, so each sandbox has a user of its own, whom nothing else belongs to.
apart=(--unshare-all) as=() size=()
bwrap --ro-bind / / --size 64000000 --tmpfs /tmp --unshare-all /bin/true 2>/dev/null && size=(--size 64000000)
if [ "$(id -u)" = 0 ]; then
  apart=(--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try --cap-add CAP_SETUID --cap-add CAP_SETGID)
  users=$(awk '{ n += $3 } END { printf "%.0f", n }' /proc/self/uid_map)  # of this container
  [ "$users" -gt 2000000000 ] && user=$((1900000000 + $$)) || user=$((20000 + $$ % 40000))
  as=(setpriv --reuid="$user" --regid=65534 --clear-groups --no-new-privs)
  [ -z "$write" ] || chmod -R a+rwX "$write"
fi
exec timeout -k 5 "$seconds" bwrap --perms 1777 "${size[@]}" --tmpfs /tmp "${ways[@]}" "${view[@]}" --dev /dev --proc /proc \
  "${apart[@]}" --new-session --die-with-parent --clearenv --setenv PATH "$PATH" --setenv HOME /tmp --chdir "$in" \
  "${as[@]}" bash -c "$limits -u $processes && exec \"\$@\"" sandbox "$@"
