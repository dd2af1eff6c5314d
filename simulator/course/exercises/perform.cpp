// The performing side of a check, in the student's program: runs the student's code, and tells the
// simulated GPU's account what is about to happen. It decides nothing. Whatever it calls, the
// student's code may call, too (program_file.h): so it opens nothing and looks nothing up.
#include <cstdlib>
#include <cstring>

#include "cudart/seal.h"
#include "performer.h"

// Of the simulated GPU's library; a real one's has none.
extern "C" __attribute__((weak)) clcsim::cudart::AccountFunction clcsim_account;

namespace clc {
namespace {

namespace account = clcsim::cudart;

// Where nobody else judges.
std::string own_account;
void keep(const void* data, std::size_t bytes) {
  own_account.append(static_cast<const char*>(data), bytes);
}

// Writes the account: by the simulated GPU, or, on a GPU that keeps none, by itself.
class Account {
 public:
  Account() : function_(&clcsim_account) {
    const account::Sink sink = keep;
    standalone_ = function_ == nullptr || function_(account::Tell::open, &sink, 0) == 0;
  }

  std::uint64_t seed() const {
    std::uint64_t seed = 0;
    if (function_ != nullptr) function_(account::Tell::seed, &seed, sizeof seed);
    return seed;
  }
  bool standalone() const { return standalone_; }
  void note(const std::string& text) {
    if (function_ != nullptr) {
      function_(account::Tell::note, text.data(), text.size());
    } else {
      write_record(account::Record::note, text);
    }
  }
  void watch(float* y, std::size_t bytes, unsigned long long* counters) {
    y_ = y, bytes_ = bytes;
    const void* const pointers[] = {y, counters};
    if (function_ != nullptr) function_(account::Tell::watch, pointers, bytes);
  }
  void watch_aside(const void* memory, std::size_t bytes) {
    if (function_ != nullptr) function_(account::Tell::aside, memory, bytes);
  }
  void watched() {
    if (function_ != nullptr) {
      function_(account::Tell::watched, nullptr, 0);
      return;
    }
    std::string region(sizeof(std::uint64_t), '\xff');  // nothing is known but the values
    std::vector<float> values(bytes_ / sizeof(float));
    CUDA_CHECK(cudaMemcpy(values.data(), y_, bytes_, cudaMemcpyDeviceToHost));
    for (const float value : values) {
      const Element element{value, 0, kNobody, kNobody};
      region.append(reinterpret_cast<const char*>(&element), sizeof element);
    }
    write_record(account::Record::region, region);
  }
  void show(const void* memory, std::size_t bytes) {
    if (function_ != nullptr) {
      function_(account::Tell::show, memory, bytes);
      return;
    }
    std::string copy(bytes, '\0');
    CUDA_CHECK(cudaMemcpy(copy.data(), memory, bytes, cudaMemcpyDeviceToHost));
    write_record(account::Record::memory, copy);
  }
  void end() {
    if (function_ != nullptr) {
      function_(account::Tell::end, nullptr, 0);
    } else {
      write_record(account::Record::end, std::string(4, '\0'));
    }
  }

 private:
  void write_record(account::Record kind, const std::string& data) {
    const account::RecordHead head =
        account::sealed({}, written_++, kind, data.data(), data.size());
    keep(&head, sizeof head);
    keep(data.data(), data.size());
  }

  account::AccountFunction* function_;
  bool standalone_ = false;
  std::uint64_t written_ = 0;
  const float* y_ = nullptr;
  std::size_t bytes_ = 0;
};

class StudentsCode : public Performer {
 public:
  Account account;

  void tiles(const Problem& problem, Launch launch) override {
    note(note_of(problem));
    const std::vector<float> x = make_x(problem);
    const std::size_t bytes = x.size() * sizeof(float);
    float* y;
    unsigned long long* counters;
    CUDA_CHECK(cudaMalloc(&y, bytes));
    CUDA_CHECK(cudaMemcpy(y, x.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMalloc(&counters, kEvents * sizeof *counters));
    CUDA_CHECK(cudaMemset(counters, 0, kEvents * sizeof *counters));
    CUDA_CHECK(cudaDeviceSynchronize());
    watch(y, problem.elements, counters);
    begin_run();
    launch(problem, y, counters);
    watched();
    account.show(counters, kEvents * sizeof *counters);
    CUDA_CHECK(cudaFree(y));
    CUDA_CHECK(cudaFree(counters));
  }
  void note(const std::string& text) override { account.note(text); }
  void watch(float* y, long long elements, unsigned long long* counters) override {
    account.watch(y, elements * sizeof(float), counters);
  }
  void watch_aside(const void* memory, std::size_t bytes) override {
    account.watch_aside(memory, bytes);
  }
  void watched() override {
    end_run();
    account.watched();
  }
  void show(const void* memory, std::vector<unsigned char>& copy) override {
    account.show(memory, copy.size());
    CUDA_CHECK(cudaMemcpy(copy.data(), memory, copy.size(), cudaMemcpyDeviceToHost));
  }
  void end_run() override {
    must_succeed("launch", cudaGetLastError());
    note("launched");
    must_succeed("kernel", cudaDeviceSynchronize());
    note("finished");
  }

 private:
  void must_succeed(const std::string& what, cudaError_t error) {
    if (error == cudaSuccess) return;
    note("failed " + what + " " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")");
    std::exit(kBadInput);
  }
};

StudentsCode* code = nullptr;
void (*checked)() = nullptr;

// Nobody else judges: says what comes of it.
int judge_here() {
  performer = nullptr;
  const Judged judged = judge(checked, own_account, code->account.seed());
  std::printf("%scheck: %s\n", judged.text.c_str(),
              judged.code == kPass ? "passed" : judged.failed.c_str());
  return judged.code;
}

int run_check(const Answer& answer, int argc, char** argv) {
  if (!answer.ready) {
    std::printf("TODO: open %s; kReady = true, when it is to be checked\n", answer.name);
    return kTodo;
  }
  require_compute_capability(10, 0, argc, argv);
  performer = code = new StudentsCode;
  checked = answer.check;
  if (code->account.standalone())
    std::atexit([] {  // the student's code has called exit(), or a call has failed
      if (performer != nullptr) judge_here();
    });
  set_seed(code->account.seed());
  answer.check();
  code->account.end();
  return code->account.standalone() ? judge_here() : 0;
}

}  // namespace

int on_this_gpu(const void* kernel, int threads) {
  int device = 0, sms = 0, per_sm = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, 0));
  return per_sm * sms;
}

int exercise(std::initializer_list<Answer> answers, int argc, char** argv) {
  if (checked != nullptr) return kWrong;  // called by the student's code
  if (answers.size() == 1) return run_check(*answers.begin(), argc, argv);
  for (const Answer& answer : answers)
    if (argc > 1 && std::strcmp(answer.name, argv[1]) == 0) return run_check(answer, argc, argv);
  return kBadInput;
}

}  // namespace clc
