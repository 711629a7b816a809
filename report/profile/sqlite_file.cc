#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>

#include "base/errors.h"
#include "report/profile/column_table.h"

namespace npunet::report {

namespace {

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct EndStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
struct FreeBytes {
    void operator()(unsigned char* bytes) const { sqlite3_free(bytes); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

void check(const Database& database, int result) {
    if (result != SQLITE_OK && result != SQLITE_DONE && result != SQLITE_ROW) {
        throw MachineError(
            fmt::format("the database cannot be made: {}", sqlite3_errmsg(database.get())));
    }
}

void execute(const Database& database, const std::string& statement) {
    check(database, sqlite3_exec(database.get(), statement.c_str(), nullptr, nullptr, nullptr));
}

const char* column_type(const ColumnTable::Values& values) {
    constexpr const char* types[] = {"INTEGER", "REAL", "TEXT", "INTEGER"};
    return types[values.index()];
}

void bind(sqlite3_stmt* statement, int place, std::int64_t value) {
    sqlite3_bind_int64(statement, place, value);
}

void bind(sqlite3_stmt* statement, int place, double value) {
    sqlite3_bind_double(statement, place, value);
}

void bind(sqlite3_stmt* statement, int place, const std::string& value) {
    sqlite3_bind_text64(statement, place, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void add(const Database& database, const ColumnTable& table) {
    std::string columns;
    std::string places;
    for (const ColumnTable::Column& column : table.columns) {
        columns += fmt::format("{}\"{}\" {}", columns.empty() ? "" : ", ", column.name,
                               column_type(column.values));
        places += places.empty() ? "?" : ", ?";
    }
    execute(database, fmt::format("CREATE TABLE \"{}\" ({})", table.name, columns));
    sqlite3_stmt* raw = nullptr;
    check(database, sqlite3_prepare_v2(
                        database.get(),
                        fmt::format("INSERT INTO \"{}\" VALUES ({})", table.name, places).c_str(),
                        -1, &raw, nullptr));
    const Statement statement(raw);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            std::visit(
                [&](const auto& values) {
                    if constexpr (!requires { values.rows; }) {
                        bind(raw, static_cast<int>(i + 1), values[row]);
                    }
                },
                table.columns[i].values);
        }
        check(database, sqlite3_step(raw));
        check(database, sqlite3_reset(raw));
    }
}

}  // namespace

std::string sqlite_of(const std::vector<ColumnTable>& tables) {
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open(":memory:", &raw);
    const Database database(raw);
    check(database, opened);
    execute(database, "BEGIN");
    for (const ColumnTable& table : tables) {
        add(database, table);
    }
    execute(database, "COMMIT");
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, FreeBytes> bytes(
        sqlite3_serialize(database.get(), "main", &size, 0));
    if (!bytes) {
        throw OutOfMemory("the database cannot be made: out of memory");
    }
    return {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)};
}

}  // namespace npunet::report
