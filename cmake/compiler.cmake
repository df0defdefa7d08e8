# Warnings, the linker, sanitizers and the third-party libraries, all from Debian 12.

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror -fno-omit-frame-pointer
                    -fvisibility=hidden -ffp-contract=off)
add_link_options(-fuse-ld=lld)

if(BRIGADA_SANITIZE)
    add_compile_options(-fsanitize=${BRIGADA_SANITIZE} -fno-sanitize-recover=all -g1)
    add_link_options(-fsanitize=${BRIGADA_SANITIZE})
endif()
if(BRIGADA_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -g1)
    add_link_options(-fsanitize=address,undefined)
endif()

find_package(PkgConfig REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(CLI11 REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(fmt REQUIRED IMPORTED_TARGET fmt)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET prometheus-cpp-core)
find_package(Boost 1.81 REQUIRED)
