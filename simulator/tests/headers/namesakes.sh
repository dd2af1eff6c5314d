# namesakes.sh SIMULATOR: fails where two files of one folder define the same name, each for itself. A build that compiles several
# files as one stops at it, or takes the other function.
set -eu
cd "$1"
twice=$(find . -name '*.cpp' | while read -r file; do
  sed -n '/^namespace {$/,/^}  \/\/ namespace/p; /^static /p' "$file" |
    sed -nE 's/^(struct|class|enum|enum class) ([A-Za-z_0-9]+)( : .*)?( \{|;)$/\2/p
      s/^using ([A-Za-z_0-9]+) =.*/\1/p
      s/^[A-Za-z_][A-Za-z_0-9:<>,*& ]*[ *&]([a-z_0-9]+)\(.*/\1/p
      s/^[a-z_][A-Za-z_0-9:<>,*& ]* (k[A-Z][A-Za-z0-9]*)( =|\{|\[|\().*/\1/p' | sort -u | sed "s|^|${file%/*}: |"
done | sort | uniq -d | grep -v ": main$" || true)
[ -z "$twice" ] || { echo "two files of the folder define it:"; echo "$twice"; exit 1; }
