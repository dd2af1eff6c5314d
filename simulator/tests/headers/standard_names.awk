# Finds names of the standard library in files that include their header neither themselves nor
# through a header of ours:
#   awk -v folders=FOLDER:FOLDER -f standard_names.awk FILE...
# Such a file compiles where the library's headers happen to include each other, and nowhere else:
# GCC 13's and 14's bring less than GCC 12's.

# needs(NAMES HEADERS): one of the headers must be there where one of the names is.
function needs(names, headers) {
  ++rules
  name_of[rules] = "(^|[^A-Za-z0-9_:])std::(" names ")([^A-Za-z0-9_]|$)"
  headers_of[rules] = " " headers " "
}

BEGIN {
  needs("(clamp|max|min|minmax|sort|stable_sort|nth_element|find_if|find|(all|any|none)_of|count|count_if|" \
        "copy|copy_n|fill|fill_n|equal|remove_if|reverse|rotate|unique|(lower|upper)_bound|equal_range|" \
        "binary_search|transform|(max|min|minmax)_element|mismatch|next_permutation|partition|shuffle)", "algorithm")
  needs("array", "array")
  needs("atomic[a-z_]*", "atomic")
  needs("(bit_cast|count[lr]_(zero|one)|popcount|has_single_bit|bit_(width|ceil|floor)|rot[lr])", "bit")
  needs("(is(alnum|alpha|digit|space|xdigit|upper|lower|print)|to(upper|lower))", "cctype")
  needs("fe(set|get)round", "cfenv")
  needs("(from|to)_chars", "charconv")
  needs("errc", "charconv system_error")
  needs("chrono", "chrono")
  needs("(fmaf?|log2?|exp2?|pow|sqrt|floor|ceil|trunc|rint|nearbyint|l?lround|llround|fabs|fmod|fmin|fmax|nanf?|" \
        "ldexp|nextafter|copysign|signbit|is(nan|inf|finite|normal))", "cmath")
  needs("(byte|max_align_t)", "cstddef span")
  needs("u?int(8|16|32|64|ptr)_t", "cstdint")
  needs("([fsv]|sn|vsn|vf)?printf|(f?puts|fputc|putchar|fflush|fopen|fclose|fread|fwrite|setvbuf|remove|FILE)", "cstdio")
  needs("(exit|abort|getenv|free|malloc|calloc|aligned_alloc|atoi|atof|strto[a-z]+|atexit|quick_exit)", "cstdlib")
  needs("abs", "cstdlib cmath")
  needs("(mem(cpy|set|move|cmp|chr)|str(len|n?cmp|n?cpy|r?chr|str|error))", "cstring")
  needs("(time|time_t|clock|clock_t|gmtime|localtime|strftime)", "ctime")
  needs("deque", "deque")
  needs("(exception|terminate|current_exception|uncaught_exceptions)", "exception stdexcept")
  needs("filesystem", "filesystem")
  needs("[io]?fstream", "fstream")
  needs("(function|hash|reference_wrapper|c?ref|invoke|bind_front)", "functional")
  needs("(cout|cerr|clog)", "iostream")
  needs("(istreambuf_iterator|back_inserter|inserter|next|prev|distance|advance)", "iterator")
  needs("numeric_limits", "limits")
  needs("(multi)?map", "map")
  needs("(unique_ptr|shared_ptr|weak_ptr|make_unique[a-z_]*|make_shared)", "memory")
  needs("(recursive_)?mutex|(lock_guard|unique_lock|scoped_lock|call_once|try_to_lock)", "mutex")
  needs("bad_alloc", "new memory")
  needs("(accumulate|iota|partial_sum|gcd|lcm|reduce)", "numeric")
  needs("(optional|nullopt)", "optional")
  needs("(priority_)?queue", "queue")
  needs("(mt19937[_64]*|uniform_[a-z]+_distribution|random_device)", "random")
  needs("s?regex[a-z_]*", "regex")
  needs("(multi)?set", "set")
  needs("span|as_(writable_)?bytes", "span")
  needs("[io]?stringstream", "sstream")
  needs("(runtime_error|logic_error|invalid_argument|out_of_range|overflow_error|range_error)", "stdexcept")
  needs("(string|to_string|getline|sto[a-z]+)", "string")
  needs("string_view", "string_view")
  needs("error_code", "system_error filesystem")
  needs("(thread|this_thread)", "thread")
  needs("tuple|tie", "tuple")
  needs("(is_[a-z_]+_v|conditional_t|make_(un)?signed_t|(true|false)_type|integral_constant|bool_constant|" \
        "type_identity(_t)?|decay_t|enable_if_t|remove_[a-z]+_t|underlying_type_t|invoke_result_t|void_t)", "type_traits")
  needs("unordered_(multi)?map", "unordered_map")
  needs("unordered_(multi)?set", "unordered_set")
  needs("(move|forward|swap|exchange|pair|make_pair|as_const|in_range|cmp_[a-z]+|to_underlying)",
        "utility algorithm array deque functional map memory optional set span string tuple unordered_map vector")
  needs("(variant|visit|holds_alternative|get_if|monostate)", "variant")
  needs("vector", "vector")
  # Without std::, which these are used without as well.
  needs("assert", "cassert"); name_of[rules] = "(^|[^A-Za-z0-9_:])assert\\("
  needs("errno", "cerrno"); name_of[rules] = "(^|[^A-Za-z0-9_:])errno([^A-Za-z0-9_]|$)"
  needs("INT_MAX", "climits"); name_of[rules] = "(^|[^A-Za-z0-9_:])U?(CHAR|SHRT|INT|L?LONG)_(MAX|MIN|BIT)([^A-Za-z0-9_]|$)"
  needs("uint32_t", "cstdint stdint.h cuda_runtime.h"); name_of[rules] = "(^|[^A-Za-z0-9_:])u?int(8|16|32|64|ptr)_t([^A-Za-z0-9_]|$)"
  folder_count = split(folders, folder, ":")
}

# in_folder(NAME FILE): what #include "NAME" in FILE stands for, or "".
function in_folder(name, file,    i, path) {
  path = file
  sub("[^/]*$", name, path)
  if (path in is_file) return path
  for (i = 1; i <= folder_count; ++i)
    if ((folder[i] "/" name) in is_file) return folder[i] "/" name
  return ""
}

# brings(FILE): the standard headers that it includes, itself and through ours.
function brings(file, seen,    i, all, n, names, other) {
  if (file in seen) return ""
  seen[file] = 1
  all = standard[file]
  n = split(ours[file], names, " ")
  for (i = 1; i <= n; ++i) {
    other = in_folder(names[i], file)
    if (other != "") all = all brings(other, seen)
  }
  return all
}

FNR == 1 { is_file[FILENAME] = 1; standard[FILENAME] = " "; in_comment = 0 }

/^ *# *include *</ { split($0, part, "[<>]"); standard[FILENAME] = standard[FILENAME] part[2] " "; next }
/^ *# *include *"/ { split($0, part, "\""); ours[FILENAME] = ours[FILENAME] " " part[2]; next }

{
  line = $0
  gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
  sub(/\/\/.*/, "", line)
  if (line !~ /[A-Za-z]/) next
  for (i = 1; i <= rules; ++i)
    if (!((FILENAME, i) in used) && line ~ name_of[i]) used[FILENAME, i] = FNR ": " $0
}

END {
  for (file in is_file) {
    split("", seen)
    there = brings(file, seen)
    for (i = 1; i <= rules; ++i) {
      if (!((file, i) in used)) continue
      n = split(headers_of[i], candidate, " ")
      found = 0
      for (k = 1; k <= n; ++k) if (index(there, " " candidate[k] " ")) found = 1
      if (!found) {
        print file ":" used[file, i] "\n    needs <" candidate[1] ">"
        bad = 1
      }
    }
  }
  exit bad
}
