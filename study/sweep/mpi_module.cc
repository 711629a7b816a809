// The part of the program that links MPI: messages by it. Loaded under mpirun only
// (study/sweep/message_port.h).

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "study/sweep/message_port.h"

namespace npunet::study {

namespace {

class MpiPort final : public MessagePort {
public:
    MpiPort() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }
    ~MpiPort() override { MPI_Finalize(); }
    MpiPort(const MpiPort&) = delete;
    MpiPort& operator=(const MpiPort&) = delete;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }

    void send(int to, const std::string& text) override {
        MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
    }

    [[nodiscard]] std::optional<Message> receive() override {
        int here = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &here, &status);
        if (here == 0) {
            return std::nullopt;
        }
        int length = 0;
        MPI_Get_count(&status, MPI_CHAR, &length);
        Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
        MPI_Recv(message.text.data(), length, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        return message;
    }

private:
    static constexpr int tag = 1;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace

}  // namespace npunet::study

/// Starts MPI; null where it cannot serve a process with threads.
extern "C" __attribute__((visibility("default"))) npunet::study::MessagePort*
npunet_open_mpi_port() {
    int provided = MPI_THREAD_SINGLE;
    // Workers have threads, but only the main one sends and receives.
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED) {
        return nullptr;
    }
    return new npunet::study::MpiPort();
}
