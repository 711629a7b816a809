// The Python module npunet_backend: what npunet_recorder needs of C++.
#include <pybind11/chrono.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/utils/pybind.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "recorder/backend/process_group.h"
#include "recorder/backend/virtual_memory.h"

namespace npunet::recorder {

namespace {

namespace py = pybind11;

/// The addresses that a tensor spans, [begin, end).
std::tuple<std::uint64_t, std::uint64_t> span_of(const at::Tensor& tensor) {
    if (!tensor.has_storage() || tensor.numel() == 0 || tensor.storage().data() == nullptr) {
        return {0, 0};
    }
    std::uint64_t last = 0;
    for (int64_t i = 0; i < tensor.dim(); ++i) {
        last += static_cast<std::uint64_t>((tensor.size(i) - 1) * tensor.stride(i));
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(tensor.storage().data()) +
                       static_cast<std::uint64_t>(tensor.storage_offset()) * tensor.itemsize();
    return {begin, begin + (last + 1) * tensor.itemsize()};
}

/// Where the storage of a tensor begins, and its bytes.
std::tuple<std::uint64_t, std::uint64_t> storage_of(const at::Tensor& tensor) {
    if (!tensor.has_storage()) {
        return {0, 0};
    }
    return {reinterpret_cast<std::uintptr_t>(tensor.storage().data()), tensor.storage().nbytes()};
}

}  // namespace

}  // namespace npunet::recorder

// NOLINTNEXTLINE: the macro of pybind11
PYBIND11_MODULE(npunet_backend, module) {
    namespace py = pybind11;
    using namespace npunet::recorder;
    module.def("empty_virtual", [](const std::vector<int64_t>& sizes,
                                   const std::vector<int64_t>& strides, py::object dtype) {
        return empty_virtual(sizes, strides, reinterpret_cast<THPDtype*>(dtype.ptr())->scalar_type);
    });
    module.def("is_virtual", &is_virtual);
    module.def("make_virtual", &make_virtual);
    module.def("span_of", &span_of);
    module.def("storage_of", &storage_of);
    py::class_<RecordingGroup, GroupBase, c10::intrusive_ptr<RecordingGroup>>(module,
                                                                              "RecordingGroup")
        .def(py::init([](int rank, int size, const std::string& name, py::object observer,
                         py::object inner) {
                 c10::intrusive_ptr<GroupBase> group;
                 if (!inner.is_none()) {
                     group = inner.cast<c10::intrusive_ptr<GroupBase>>();
                 }
                 return c10::make_intrusive<RecordingGroup>(
                     rank, size, name, make_observer(std::move(observer)), group);
             }),
             py::arg("rank"), py::arg("size"), py::arg("name"), py::arg("observer"),
             py::arg("inner") = py::none())
        .def("finish_sends", &RecordingGroup::finish_sends,
             py::call_guard<py::gil_scoped_release>());
}
