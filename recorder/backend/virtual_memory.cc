#include "recorder/backend/virtual_memory.h"

#include <c10/core/Allocator.h>
#include <sys/mman.h>

#include <torch/version.h>

#include <atomic>
#include <stdexcept>
#include <utility>

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

c10::DataPtr pointer_to(std::uint64_t bytes) {
    void* const memory = region().allocate(bytes);
    return {memory, memory, keep, at::Device(at::kCPU)};
}

/// What a storage gets when a program resizes it, as FullyShardedDataParallel does to free and to
/// gather parameters. The classes of later versions than PyTorch 1.13 have more functions.
class VirtualAllocator : public c10::Allocator {
public:
#if TORCH_VERSION_MAJOR >= 2
    c10::DataPtr allocate(std::size_t bytes) override {
        return pointer_to(bytes);
    }
    void copy_data(void* /*target*/, const void* /*source*/, std::size_t /*count*/) const override {
    }
#else
    c10::DataPtr allocate(std::size_t bytes) const override {
        return pointer_to(bytes);
    }
#endif
};

c10::Allocator* virtual_allocator() {
    static VirtualAllocator only;
    return &only;
}

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
    c10::Storage storage(c10::make_intrusive<c10::StorageImpl>(
        c10::StorageImpl::use_byte_size_t(), static_cast<std::size_t>(bytes), pointer_to(bytes),
        virtual_allocator(), /*resizable=*/true));
    at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
        std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU),
        c10::scalarTypeToTypeMeta(type));
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
    return tensor;
}

bool is_virtual(const at::Tensor& tensor) {
    return tensor.has_storage() && region().holds(tensor.storage().data());
}

void make_virtual(const at::Tensor& tensor) {
    if (!tensor.has_storage() || is_virtual(tensor)) {
        return;
    }
    c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
    storage->set_data_ptr(pointer_to(storage->nbytes()));
    storage->set_allocator(virtual_allocator());
}

}  // namespace npunet::recorder
