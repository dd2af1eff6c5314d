#include "exercises/imports.h"

#include <cxxabi.h>

#include <cstdlib>
#include <set>
#include <string_view>

namespace clcsim::exercises {
namespace {

// Of C. The performing side of the check needs no others.
const std::set<std::string_view> kFunctions = {
    // what a compiler and its run-time libraries need
    "__libc_start_main", "__gmon_start__", "__stack_chk_fail", "__stack_chk_guard", "__dso_handle",
    "__gxx_personality_v0", "__errno_location", "__assert_fail", "__tls_get_addr", "_Unwind_Resume",
    "_ITM_registerTMCloneTable", "_ITM_deregisterTMCloneTable", "__signbit", "__signbitf",
    "__fpclassify", "__fpclassifyf", "__isnan", "__isnanf", "__isinf", "__isinff", "__finite",
    "__finitef", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
    "__aarch64_ldadd4_acq_rel", "__aarch64_ldadd8_acq_rel", "__aarch64_cas4_acq_rel", "__getauxval",
    "clcsim_account",  // of the check; nobody else may write its name (answer_file.h)
    // memory and strings
    "malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign", "memcpy", "memmove",
    "memset", "memcmp", "memchr", "memccpy", "bcmp", "strlen", "strnlen", "strcmp", "strncmp",
    "strcpy", "strncpy", "strcat", "strncat", "strchr", "strrchr", "strstr", "strspn", "strcspn",
    "strpbrk", "strtok", "strdup", "strcoll", "strerror",
    // numbers
    "abs", "labs", "llabs", "div", "ldiv", "lldiv", "atoi", "atol", "atoll", "atof", "strtol",
    "strtoll", "strtoul", "strtoull", "strtof", "strtod", "strtold", "rand", "srand", "rand_r",
    "random", "srandom", "drand48", "srand48", "qsort", "bsearch", "sscanf", "vsscanf",
    // characters
    "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "isprint", "ispunct",
    "isxdigit", "toupper", "tolower",
    // printing
    "printf", "vprintf", "fprintf", "vfprintf", "sprintf", "vsprintf", "snprintf", "vsnprintf",
    "puts", "fputs", "putchar", "putc", "fputc", "fwrite", "fflush", "perror", "setvbuf", "setbuf",
    "setlocale", "stdout", "stderr",
    // time, and the end
    "time", "clock", "clock_gettime", "gettimeofday", "nanosleep", "usleep", "sleep", "difftime",
    "exit", "_exit", "_Exit", "quick_exit", "abort", "atexit"};

// Each of them is one of float (..f) and of long double (..l), too.
const std::set<std::string_view> kMathematics = {
    "acos",    "acosh",     "asin",      "asinh",  "atan",      "atan2",  "atanh",  "cbrt",
    "ceil",    "copysign",  "cos",       "cosh",   "erf",       "erfc",   "exp",    "exp10",
    "exp2",    "expm1",     "fabs",      "fdim",   "floor",     "fma",    "fmax",   "fmin",
    "fmod",    "frexp",     "hypot",     "ilogb",  "ldexp",     "lgamma", "llrint", "llround",
    "log",     "log10",     "log1p",     "log2",   "logb",      "lrint",  "lround", "modf",
    "nan",     "nearbyint", "nextafter", "pow",    "remainder", "remquo", "rint",   "round",
    "scalbln", "scalbn",    "sin",       "sincos", "sinh",      "sqrt",   "tan",    "tanh",
    "tgamma",  "trunc"};

// Parts of C++'s library, by what is in a mangled name.
constexpr struct {
  std::string_view part, words;
} kNoPartOfCpp[] = {{"basic_filebuf", "<fstream>"},  {"basic_ifstream", "<fstream>"},
                    {"basic_ofstream", "<fstream>"}, {"basic_fstream", "<fstream>"},
                    {"__basic_file", "<fstream>"},   {"10filesystem", "<filesystem>"},
                    {"6thread", "<thread>"},         {"13_Async_state", "<future>"}};

// Of CUDA's functions, those that look something up, or that read or write files.
constexpr std::string_view kNoPartOfCuda[] = {
    "cudaGetExportTable", "cudaGetDriverEntryPoint", "cudaLibrary", "cudaIpc", "cudaImport",
    "cudaLogs",           "cudaGraphDebugDotPrint"};

bool starts(const std::string& name, std::string_view start) {
  return name.starts_with(start);
}

// printf of "__printf_chk" and of "__isoc99_printf".
std::string plain(std::string name) {
  for (const std::string_view start : {"__isoc99_", "__isoc23_"})
    if (starts(name, start)) return name.substr(start.size());
  if (starts(name, "__") && name.ends_with("_chk")) return name.substr(2, name.size() - 6);
  return name;
}

bool is_of_c(const std::string& name) {
  if (kFunctions.contains(name) || kMathematics.contains(name)) return true;
  return (name.ends_with('f') || name.ends_with('l')) &&
         kMathematics.contains(std::string_view(name).substr(0, name.size() - 1));
}

std::string demangled(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string words = text == nullptr ? name : text;
  std::free(text);
  return words;
}

}  // namespace

std::string refused_import(const std::string& name) {
  if (starts(name, "_Z")) {
    for (const auto& [part, words] : kNoPartOfCpp)
      if (name.find(part) != std::string::npos) return std::string(words);
    // Of the library, or of the language: a name of somebody else's has no place here.
    for (const std::string_view start :
         {"_ZS", "_ZNS", "_ZNKS", "_ZTI", "_ZTV", "_ZTS", "_ZTT", "_Zn", "_Zd", "_ZNVS", "_ZGVNS",
          "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZN10__cxxabiv1", "_ZTH", "_ZTW"})
      if (starts(name, start)) return {};
    return demangled(name);
  }
  if (starts(name, "__cxa_")) return {};
  if (starts(name, "cuda") || starts(name, "__cuda")) {
    for (const std::string_view start : kNoPartOfCuda)
      if (starts(name, start)) return name + "()";
    return {};
  }
  return is_of_c(plain(name)) ? "" : name + "()";
}

}  // namespace clcsim::exercises
