# find_package(fathom) gives the imported target fathom::fathom. The library lies two folders up; the headers beside.
get_filename_component(_fathom_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_library(FATHOM_LIBRARY fathom HINTS "${_fathom_libdir}" NO_DEFAULT_PATH REQUIRED)
find_path(FATHOM_INCLUDE_DIR fathom/fathom.h
  HINTS "${_fathom_libdir}/../include" "${_fathom_libdir}/../../include" NO_DEFAULT_PATH REQUIRED)
add_library(fathom::fathom SHARED IMPORTED)
set_target_properties(fathom::fathom PROPERTIES
  IMPORTED_LOCATION "${FATHOM_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${FATHOM_INCLUDE_DIR}")
