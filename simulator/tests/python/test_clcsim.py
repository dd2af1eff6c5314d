"""The package clcsim: what a launch gives, and the one clear exception that each wrong launch gets."""

import linecache
import pathlib
import sys
import tempfile
import unittest
import warnings

try:
    import numpy as np
except ImportError as error:
    print(f"not run: {error}; pip install numpy")
    sys.exit(77)

import clcsim

HEAD = ".version 8.7\n.target sm_100a\n.address_size 64\n"
ADD = HEAD + """
.visible .entry add(.param .u64 y, .param .f32 a, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %a; .reg .f32 %f<2>;
  ld.param.u64 %a, [y];
  ld.param.f32 %f1, [a];
  ld.param.u32 %r3, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r0, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r0;
  setp.ge.u32 %p, %r1, %r3;
  @%p ret;
  mul.wide.u32 %a, %r1, 4;
  { .reg .b64 %b; ld.param.u64 %b, [y]; add.u64 %a, %a, %b; }
  ld.global.f32 %f0, [%a];
  add.f32 %f0, %f0, %f1;
  st.global.f32 [%a], %f0;
  ret;
}
"""


def one(body):
    return HEAD + ".visible .entry k(.param .u64 p) {\n.reg .b64 %a; .reg .b32 %r<2>;\nld.param.u64 %a, [p];\n" + \
        body + "\nret;\n}\n"

BOX = HEAD + """.visible .entry k(.param .align 64 .b8 map[128], .param .u64 to) {
.reg .b64 %a, %to; .reg .b32 %r<3>; .reg .pred %p; .reg .f32 %f;
.shared .align 128 .b8 tile[512]; .shared .align 8 .b64 bar;
mov.u64 %a, map; cvta.param.u64 %a, %a; ld.param.u64 %to, [to];
mov.u32 %r0, %tid.x; setp.ne.u32 %p, %r0, 0;
@%p bra WAIT;
mbarrier.init.shared.b64 [bar], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;
mov.u32 %r1, 4; mov.u32 %r2, 3;
cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%a, {%r1, %r2}], [bar];
WAIT: bar.sync 0;
AGAIN: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
@!%p bra AGAIN;
shl.b32 %r0, %r0, 2; mov.u32 %r1, tile; add.u32 %r1, %r1, %r0; ld.shared.f32 %f, [%r1];
cvt.u64.u32 %a, %r0; add.u64 %to, %to, %a; st.global.f32 [%to], %f;
ret; }"""


class Launch(unittest.TestCase):
    def setUp(self):
        self.kernel = clcsim.load(ADD)
        self.y = np.arange(100, dtype=np.float32)

    def fails(self, error, words, call):
        with self.assertRaises(error) as caught:
            call()
        for word in words.split("|"):
            self.assertIn(word, str(caught.exception))

    def test_results_and_counts(self):
        run = self.kernel[4, 32](self.y, np.float32(2), np.int32(100))
        np.testing.assert_array_equal(self.y, np.arange(100, dtype=np.float32) + 2)
        self.assertEqual((run.blocks_launched, run.blocks_started, run.blocks_stolen, run.requests_failed),
                         (4, 4, 0, 0))
        self.assertGreater(run.cycles, 0)
        self.assertEqual(run.findings, [])
        self.assertIn("4 blocks launched", run._repr_html_())

    def test_numbers_take_the_size_of_the_parameter(self):
        self.kernel[(4, 1), (32, 1, 1)](self.y, 2.0, 100)
        self.assertEqual(self.y[99], 101)

    def test_a_grid_may_be_a_function_of_the_constants(self):
        shaped = self.kernel.shaped(32, constants={"BLOCK": 32})
        self.assertEqual(shaped[lambda meta: (128 // meta["BLOCK"],)](self.y, 2.0, 100).blocks_launched, 4)

    def test_a_short_name_is_a_name(self):
        self.assertEqual(clcsim.load(HEAD + ".visible .entry g() { ret; }")[1, 1]().kernel, "g")

    def test_wrong_arguments(self):
        launch = self.kernel[4, 32]
        self.fails(TypeError, "takes 3 arguments (array or i64, f32, i32)|2 were given", lambda: launch(self.y, 2.0))
        self.fails(TypeError, "argument 2|float64", lambda: launch(self.y, np.float64(2), 100))
        self.fails(TypeError, "argument 2|array", lambda: launch(self.y, self.y, 100))
        self.fails(TypeError, "argument 2|int32|floating-point", lambda: launch(self.y, np.int32(2), 100))
        self.fails(TypeError, "argument 3|100.5|whole", lambda: launch(self.y, 2.0, 100.5))
        self.fails(TypeError, "argument 1|whole", lambda: launch(2.0, 2.0, 100))
        typed = self.kernel.shaped(32, types=("*fp32", "fp32", "i32"))
        self.fails(TypeError, "argument 1|float64|*fp32", lambda: typed[4](self.y.astype(np.float64), 2.0, 100))
        typed[4](self.y, 2, 100)
        self.assertEqual(self.y[99], 101)
        multiple = self.kernel.shaped(32, types=("*fp32:1", "fp32", "i32:16"))
        multiple[4](self.y, 2, 96)
        self.fails(ValueError, "argument 3|100|multiple of 16", lambda: multiple[4](self.y, 2, 100))
        self.fails(TypeError, "argument 3|...", lambda: launch(self.y, 2.0, list(range(1000))))
        self.fails(TypeError, "argument 3|'many'", lambda: launch(self.y, 2.0, "many"))
        self.fails(ValueError, "argument 3|4 bytes", lambda: launch(self.y, 2.0, 2**40))
        self.y.flags.writeable = False
        self.fails(ValueError, "read-only", lambda: launch(self.y, 2.0, 100))

    def test_a_structure_and_a_tensor_map(self):
        long = "kernel_of_tensors_" * 12
        structure = clcsim.load(HEAD + f".visible .entry {long}(.param .align 8 .b8 p[16]) {{ ret; }}")
        self.fails(TypeError, "16 bytes|static layout|kernel_of_tensors_ker...", lambda: structure[1, 1](self.y))
        with self.assertRaises(TypeError) as caught:
            structure[1, 1](self.y)
        self.assertLess(len(str(caught.exception)), 270)
        box = clcsim.load(BOX)
        table, out = np.arange(40 * 20, dtype=np.float32).reshape(40, 20), np.zeros((8, 16), np.float32)
        box[1, 128](clcsim.tensor_map(table, (8, 16)), out)
        np.testing.assert_array_equal(out, table[3:11, 4:20])
        self.fails(TypeError, "128 bytes|clcsim.tensor_map(array, box)", lambda: box[1, 128](table, out))
        self.fails(ValueError, "refuses a box of (8, 15)|multiple of 16 bytes", lambda: clcsim.tensor_map(table, (8, 15)))
        self.fails(ValueError, "swizzle is 16", lambda: clcsim.tensor_map(table, (8, 16), 16))
        self.fails(ValueError, "the array has 2, the box 1", lambda: clcsim.tensor_map(table, (8,)))

    def test_fixes_speak_the_frontend_s_language(self):
        kernel = clcsim.load(one("mov.u32 %r0, %tid.x;\nst.global.u32 [%a], %r0;\nld.global.u32 %r1, [%a];\n"
                                 "st.global.u32 [%a+4], %r1;"))
        for frontend, words in (("", "__syncthreads()"), ("triton", "tl.debug_barrier(); or use an atomic operation, such as tl."),
                                ("gluon", "gl.barrier()"), ("cute", "cute.arch.sync_threads()")):
            run = kernel.shaped(64, frontend=frontend)[1](self.y)
            self.assertIn(words, run.findings[0].fix)
            self.assertIn("fix     let a barrier stand between the two: " + words,
                          run.report)
            self.assertEqual("__syncthreads()" in run.report, not frontend)

    def test_a_refusal_tells_the_way_round(self):
        kernel = clcsim.load(one("tcgen05.shift.cta_group::1.down [0];"))
        self.assertNotIn("ieee", self.refusal(kernel))
        self.assertIn("TRITON_F32_DEFAULT=ieee", self.refusal(kernel.shaped(1, frontend="triton")))

    def refusal(self, kernel):
        with self.assertRaises(clcsim.Refused) as caught:
            kernel[1, 1](self.y)
        return str(caught.exception)

    def test_views_share_their_memory(self):
        copy = clcsim.load(HEAD + """.visible .entry k(.param .u64 p, .param .u64 q) {
            .reg .b64 %a<2>; .reg .f32 %f;
            ld.param.u64 %a0, [p];
            ld.param.u64 %a1, [q];
            ld.global.f32 %f, [%a1];
            st.global.f32 [%a0+8], %f;
            ret; }""")
        copy[1, 1](self.y, self.y[7:])
        self.assertEqual(self.y[2], 7)
        table = np.arange(100, dtype=np.float32).reshape(10, 10)
        copy[1, 1](table[4:, 4:], table.T[6:, 1:])
        self.assertEqual(table[4, 6], 16)
        self.assertEqual(table.sum(), 99 * 50 - 46 + 16)

    def test_elements_that_nobody_has_written(self):
        y = clcsim.empty(100)
        with self.assertWarnsRegex(clcsim.FindingWarning, "uninitialised-read"):
            run = self.kernel.shaped(32, names=("y", "a", "n"))[3](y, 2.0, 100)  # of four blocks
        self.assertEqual(run.unwritten, {"y": 4})
        self.assertEqual(self.kernel[4, 32](y, 2.0, 100).unwritten, {})
        y = clcsim.empty((10, 10), np.float32)
        y[:] = 1
        self.assertEqual(self.kernel[4, 32](y, 2.0, 100).findings, [])
        self.assertEqual((y + clcsim.empty((10, 10))).unwritten, False)

    def test_keywords_and_ignored_findings(self):
        named = self.kernel.shaped(32, names=("y", "a", "n"))
        named[4](self.y, n=100, a=2.0)
        self.assertEqual(self.y[99], 101)
        self.fails(TypeError, "no value for 'a'", lambda: named[4](self.y, n=100))
        racing = clcsim.load(one("mov.u32 %r0, %ctaid.x;\nst.global.u32 [%a], %r0;"))
        for ignore in ("data-race", ["deadlock", "data-race"]):
            run = racing[10, 1](self.y, strict=True, ignore=ignore)
            self.assertEqual((run.findings, [finding.name for finding in run.ignored], run.report), ([], ["data-race"], ""))
        run = racing[10, 1](self.y, strict=True, ignore="data-race", seed=1)
        self.assertEqual((run.notes, run.refusals, run.ignored[0].text), ([], [], ""))
        self.fails(ValueError, "data-rac doesn't name a rule", lambda: racing[10, 1](self.y, ignore="data-rac"))
        self.fails(ValueError, "nowhere can't be read", lambda: racing[10, 1](self.y, ignore_file="nowhere"))
        for ignore in ("deadlock", "data-race@other.py"):
            self.fails(clcsim.FindingError, "data-race", lambda: racing[10, 1](self.y, strict=True, ignore=ignore))

    def test_wrong_shapes(self):
        self.fails(ValueError, "grid|from 1", lambda: self.kernel[0, 32](self.y, 2.0, 100))
        self.fails(TypeError, "block|whole number", lambda: self.kernel[1, 3.5](self.y, 2.0, 100))
        self.fails(TypeError, "block is missing", lambda: self.kernel[4](self.y, 2.0, 100))
        self.fails(ValueError, "2048 threads", lambda: self.kernel[1, 2048](self.y, 2.0, 100))
        self.fails(ValueError, "third dimension", lambda: self.kernel[1, (1, 1, 128)](self.y, 2.0, 100))
        self.fails(ValueError, "65535", lambda: self.kernel[(1, 70000), 32](self.y, 2.0, 100))
        self.fails(ValueError, "16 blocks", lambda: self.kernel[16, 32, 0, 16](self.y, 2.0, 100))
        sized = clcsim.load(HEAD + ".visible .entry k() .reqntid 64 { ret; }")
        self.fails(ValueError, "64 x 1 x 1 threads", lambda: sized[1, 32]())
        self.fails(ValueError, "shared memory", lambda: self.kernel[1, 32, 10**6](self.y, 2.0, 100))
        self.fails(ValueError, "multiple of the cluster", lambda: self.kernel[3, 32, 0, 2](self.y, 2.0, 90))

    def test_wrong_options(self):
        launch = lambda **given: self.kernel[4, 32](self.y, 2.0, 100, **given)
        self.fails(TypeError, "no option 'sed'|clcsim.triton", lambda: launch(sed=1))
        self.fails(TypeError, "seed", lambda: launch(seed="x"))
        self.fails(ValueError, "tpu", lambda: launch(gpu="tpu"))
        self.fails(FileNotFoundError, "run.html", lambda: launch(timeline="/no/such/run.html"))
        self.assertEqual(self.y[99], 99)  # nothing ran
        launch(seed=np.int64(1))

    def test_what_is_no_kernel(self):
        self.fails(clcsim.PtxError, "line", lambda: clcsim.load("nonsense"))
        self.fails(clcsim.PtxError, "cubin", lambda: clcsim.load(b"\x7fELF\xff"))
        self.fails(TypeError, "None", lambda: clcsim.load(None))
        self.fails(ValueError, "no kernel 'sub'|add", lambda: clcsim.load(ADD, "sub"))
        self.fails(ValueError, "no kernel", lambda: clcsim.load(HEAD))
        self.fails(ValueError, "hidden is 5", lambda: clcsim.load(ADD, hidden=5))

    def test_what_stops_a_kernel_leaves_the_interpreter_alive(self):
        self.fails(clcsim.Fault, "out-of-bounds", lambda: clcsim.load(one("st.global.u32 [%a+400], %r0;"))[1, 1](self.y))
        self.fails(clcsim.Limit, "cycles",
                   lambda: clcsim.load(one("L: bra L;"))[1, 1](self.y, limit_cycles=10000))
        with self.assertRaises(clcsim.Refused) as caught:
            clcsim.load(one("tcgen05.shift.cta_group::1.down [%r0];"))[1, 1](self.y)
        self.assertIn("tcgen05", str(caught.exception))
        self.assertTrue(str(caught.exception).startswith("PTX line 7: "), str(caught.exception))

    def test_note_neither_warns_nor_raises(self):
        # Only the first thread stores what all have read.
        kernel = clcsim.load(one("ld.global.u32 %r0, [%a]; add.u32 %r0, %r0, 1; mov.u32 %r1, %tid.x; "
                                 "{ .reg .pred %p; setp.eq.u32 %p, %r1, 0; @%p st.global.u32 [%a], %r0; }"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run = kernel[1, 64](np.zeros(1, np.uint32), strict=True)
        self.assertEqual(([note.name for note in run.notes], run.findings, run.refusals), (["data-race"], [], []))
        self.assertIn("note [data-race]", run.report)

    def test_findings_warn_or_raise_and_are_kept(self):
        kernel = clcsim.load(one("mov.u32 %r0, %ctaid.x;\nst.global.u32 [%a], %r0;"))
        with self.assertWarns(clcsim.FindingWarning):
            run = kernel[10, 1](self.y)
        self.assertEqual([finding.name for finding in run.findings], ["data-race"])
        self.assertGreater(run.findings[0].line, 0)
        with self.assertRaises(clcsim.FindingError) as caught:
            kernel[10, 1](self.y, strict=True)
        self.assertEqual(len(caught.exception.run.findings), 1)
        self.assertEqual(kernel[10, 1](self.y, check="off").findings, [])

    def test_a_cell_is_shown_and_a_long_name_is_cut(self):
        linecache.cache["/cells/1.py"] = (1, None, ["def k(p):\n", "    p[100] = 0\n"], "/cells/1.py")
        ptx = one('.loc 1 2 0\nst.global.u32 [%a+400], %r0;') + '.file 1 "/cells/1.py"\n'
        with self.assertRaises(clcsim.Fault) as caught:
            clcsim.load(ptx.replace("entry k(", f"entry kernel_of_{'tensors_' * 9}("))[1, 1](self.y)
        self.assertRegex(str(caught.exception), r"/cells/1.py:2 in kernel_of_tensors_[a-z_]{19}\.\.\., block (.|\n)* 2 \|   p\[100\] = 0")

    def test_seeds_of_a_launch(self):
        run = self.kernel[4, 32](self.y, 2.0, 100, seeds=3)
        self.assertEqual((self.y[7], run.findings), (9, []))  # once, not three times
        self.fails(ValueError, "seeds is 0", lambda: self.kernel[4, 32](self.y, 2.0, 100, seeds=0))

    def test_options_and_seeds(self):
        with clcsim.options(gpu="mini:1", check="off"):
            one_sm = self.kernel[4, 32](self.y, 2.0, 100).cycles
            runs = clcsim.explore(lambda: self.kernel[4, 32](self.y.copy(), 2.0, 100), seeds=3)
        self.assertEqual([seed for seed, _ in runs], [0, 1, 2])
        self.assertEqual(runs[0][1].cycles, one_sm)

    def test_a_page_to_watch(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.html"
            run = self.kernel[4, 32](self.y, 2.0, 100, timeline=path)
            self.assertIn("<!doctype html>", path.read_text())
            self.assertIn("<iframe", run._repr_html_())


if __name__ == "__main__":
    warnings.simplefilter("ignore", clcsim.FindingWarning)
    unittest.main()
