/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz harness over the files of a directory: what libFuzzer's own main does, for every compiler. */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Gives the bytes of a file; the size of the block is exact, so that a read beyond it is seen. */
static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    uint8_t *bytes = length < 0 ? NULL : malloc((size_t)length + (length == 0));
    *size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    DIR *corpus = argc == 2 ? opendir(argv[1]) : NULL;
    if (!corpus) {
        fprintf(stderr, "usage: %s CORPUS-DIRECTORY\n", argv[0]);
        return 2;
    }
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(corpus));) {
        if (entry->d_name[0] == '.')
            continue;
        char path[PATH_MAX];
        size_t size;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        uint8_t *bytes = read_whole(path, &size);
        if (!bytes) {
            fprintf(stderr, "cannot read %s\n", path);
            return 1;
        }
        printf("%s: %zu bytes\n", entry->d_name, size);
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
        count++;
    }
    closedir(corpus);
    printf("%d inputs replayed\n", count);
    return count == 0;
}
