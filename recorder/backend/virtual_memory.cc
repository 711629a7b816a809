#include "recorder/backend/virtual_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <stdexcept>

namespace npunet::recorder {

namespace {

constexpr std::uint64_t region_bytes = std::uint64_t{1} << 45;
constexpr std::uint64_t alignment = 512;

/// One region, handed out from begin to end, and again from its begin: two tensors may then have
/// one address, which only makes calls in progress look as if they touched both.
class Region {
public:
    Region() {
        void* const begin = ::mmap(nullptr, region_bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (begin == MAP_FAILED) {
            throw std::runtime_error("32 TiB of addresses cannot be had; see ulimit -v");
        }
        begin_ = reinterpret_cast<std::uintptr_t>(begin);
    }

    [[nodiscard]] void* allocate(std::uint64_t bytes) {
        const std::uint64_t rounded = (bytes + alignment) / alignment * alignment;
        if (rounded > region_bytes / 2) {
            throw std::runtime_error("a tensor of more than 16 TiB");
        }
        std::uint64_t offset = next_.fetch_add(rounded);
        if (offset + rounded > region_bytes) {
            next_ = rounded;
            offset = 0;
        }
        return reinterpret_cast<void*>(begin_ + offset);
    }

    [[nodiscard]] bool holds(const void* pointer) const {
        return reinterpret_cast<std::uintptr_t>(pointer) - begin_ < region_bytes;
    }

private:
    std::uintptr_t begin_ = 0;
    std::atomic<std::uint64_t> next_{0};
};

Region& region() {
    static Region only;
    return only;
}

void keep(void* /*memory*/) {}

std::uint64_t bytes_of(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type) {
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 0) {
            return 0;
        }
        last += static_cast<std::uint64_t>(sizes[i] - 1) * static_cast<std::uint64_t>(strides[i]);
    }
    return (last + 1) * c10::elementSize(type);
}

}  // namespace

at::Tensor empty_virtual(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type) {
    const std::uint64_t bytes = bytes_of(sizes, strides, type);
    return at::from_blob(region().allocate(bytes), sizes, strides, keep,
                         at::TensorOptions().dtype(type).device(at::kCPU));
}

bool is_virtual(const at::Tensor& tensor) {
    return tensor.has_storage() && region().holds(tensor.storage().data());
}

void make_virtual(const at::Tensor& tensor) {
    if (!tensor.has_storage() || is_virtual(tensor)) {
        return;
    }
    const at::Storage& storage = tensor.storage();
    void* const memory = region().allocate(storage.nbytes());
    storage.unsafeGetStorageImpl()->set_data_ptr(
        at::DataPtr(memory, memory, keep, at::Device(at::kCPU)));
}

}  // namespace npunet::recorder
