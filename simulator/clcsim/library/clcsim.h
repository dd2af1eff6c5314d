/* clcsim as a library: runs one kernel of a PTX text on a simulated GPU of its own. Texts are
 * UTF-8; requests and replies are JSON; each reply has clcsim's "version". No call prints, exits or
 * throws. Calls may come from several threads at a time. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLCSIM_API __attribute__((visibility("default")))

/* An argument of the kernel: a scalar of `bytes` bytes at `data`, or, where `memory` is not 0, an
 * array of `bytes` bytes at `data`. The kernel gets a pointer to a copy of the array, `offset`
 * bytes behind its beginning, and `data` holds what the kernel left. Arguments with the same `data`
 * share one copy. `memory` 2: the bytes count as never written. `data` NULL with `memory`: a null
 * pointer. `memory` 3: a scalar or a structure in which each word that is an address in one of the
 * arrays becomes that of the copy. 4 to 6: no argument of the kernel but an array whose addresses
 * stand in such words; 5: as 2; 6: it isn't copied and keeps its address, which may lie in other
 * arrays. */
struct clcsim_argument {
  void* data;
  size_t bytes;
  int memory;
  size_t offset;
};

/* The reply to "what is in this PTX": {"error":null,"kernels":[{"name","parameters":[bytes
 * ...],"kinds","shared","threads", "cluster","refusals":[...]} ...]}. kinds: a letter for each
 * parameter, f (floating-point), i (whole numbers, pointers) or b (the text doesn't say). shared:
 * static bytes of a block. threads: that a block must have (.reqntid), [0,0,0]: any number.
 * cluster: blocks of a cluster as the kernel itself says
 * (.reqnctapercluster), [0,0,0]: it says nothing. refusals: why clcsim can't execute an
 * instruction that the kernel has. */
CLCSIM_API char* clcsim_kernels(const char* ptx);

/* What --gpu NAME simulates: {"error":null,"capability":[major,minor],"sms","threads" (of an SM),
 * "shared" (bytes that a block may have),"shared_of_sm","clock" (kHz),"memory" (bytes)}. */
CLCSIM_API char* clcsim_gpu(const char* name);

/* Runs a kernel once. The request:
 *   {"ptx":"...","kernel":"name","grid":[x,y,z],"block":[x,y,z],"cluster":[x,y,z],"shared":bytes,
 *    "options":["--gpu","b200","--seed","3"],"page":false,"sources":{"/cell.py":"..."}}
 * kernel may be "" where the PTX has one entry; cluster is [0,0,0] where the launch gives none;
 * shared: dynamic. The options are those of `clcsim --help` that concern one run: gpu, seed, check,
 * refuse, grants, limit-cycles, limit-seconds, ignore, ignore-file. page: the reply holds a page to
 * watch the run. sources: files of the PTX that are on no disk. The reply:
 * {"error":null,"kernel","launched","started","stolen","requests","failed","cycles","instructions",
 * "addresses":[...],"findings":[...],"text":"...","printed":"...","not_needed":[...],"page":"..."};
 * addresses are those that the kernel got for each argument (0: no array), findings are as in
 * --check-json, text is what the command line prints of them, printed is what kernels print,
 * not_needed what was to be accepted and never came. Counts are of blocks and
 * of requests. "error" is {"kind","message","line"}: kind "ptx" (the text can't be read; line of
 * the PTX), "argument" (the request can't be met), "refused" (clcsim doesn't model something),
 * "fault" (the kernel was stopped), "limit"; the members that follow it stand there as far as the
 * run came. */
CLCSIM_API char* clcsim_run(const char* request, const struct clcsim_argument* arguments,
                            size_t count);

/* Of a reply. */
CLCSIM_API void clcsim_free(char* reply);

#ifdef __cplusplus
}
#endif
