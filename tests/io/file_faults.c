/* Preloaded before the program under test: numbers its calls that change files of one folder, writes them into a
   journal, and lets one of them go wrong. No part of the program.

       FILE_FAULTS_FOLDER    the folder watched, as an absolute path without links
       FILE_FAULTS_JOURNAL   every call is appended here: a text line "op offset size path[\tsecond path]" and, of a
                             write, its bytes
       FILE_FAULTS_ONLY      names of files that count, separated by commas; others pass. Default: all
       FILE_FAULTS           what goes wrong at call K (the first is 1):
           kill:K            SIGKILL before it
           torn:K            SIGKILL after the part of a write up to the last page boundary in it (all that a kill can
                             leave of one: the kernel copies by pages), else as kill
           stop:K            SIGSTOP before it
           signal:K:S        signal S before it
           error:K:E         it fails once with errno E
           full:K            from it on no write finds space: ENOSPC, after the whole pages of the first one
           short:K:N         from it on a write takes at most N bytes */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *folder, *only, *kind = "";
static long at, argument, calls;
static int journal = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void read_environment(void)
{
    static char word[32];
    folder = getenv("FILE_FAULTS_FOLDER");
    only = getenv("FILE_FAULTS_ONLY");
    const char *fault = getenv("FILE_FAULTS");
    if (fault != NULL && sscanf(fault, "%31[a-z]:%ld:%ld", word, &at, &argument) >= 2) {
        kind = word;
    }
    const char *name = getenv("FILE_FAULTS_JOURNAL");
    if (name != NULL) {
        journal = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
}

/* In the folder, and of the names that count? `path` becomes absolute. */
static int is_watched(char *path)
{
    if (folder == NULL) {
        return 0;
    }
    if (path[0] != '/') {
        char joined[PATH_MAX];
        if (getcwd(joined, sizeof joined) == NULL || strlen(joined) + strlen(path) + 2 > PATH_MAX) {
            return 0;
        }
        strcat(strcat(joined, "/"), path);
        strcpy(path, joined);
    }
    const size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0 || (path[length] != '/' && path[length] != '\0')) {
        return 0;
    }
    if (only == NULL) {
        return 1;
    }
    const char *name = strrchr(path, '/') + 1;
    for (const char *one = only; *one != '\0';) {
        const size_t size = strcspn(one, ",");
        if (strlen(name) == size && strncmp(name, one, size) == 0) {
            return 1;
        }
        one += size + (one[size] == ',');
    }
    return 0;
}

static int path_of(int file, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return path[0] == '/' && is_watched(path); /* pipes and sockets have no path */
}

static void put_journal(const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        const long count = syscall(SYS_write, journal, from, size);
        if (count <= 0) {
            return;
        }
        from += count;
        size -= (size_t)count;
    }
}

static void note(const char *op, long offset, size_t size, const char *path, const char *second, const void *bytes)
{
    if (journal < 0) {
        return;
    }
    char line[2 * PATH_MAX + 100];
    const int length = snprintf(line, sizeof line, "%s %ld %zu %s%s%s\n", op, offset, size, path,
                                second != NULL ? "\t" : "", second != NULL ? second : "");
    put_journal(line, (size_t)length);
    if (bytes != NULL) {
        put_journal(bytes, size);
    }
}

static int is(const char *name)
{
    return strcmp(kind, name) == 0;
}

static void raise_now(int number)
{
    syscall(SYS_kill, getpid(), number);
}

/* Counts one call. 1: it must fail, with errno set. */
static int strikes(void)
{
    ++calls;
    if (calls != at) {
        return 0;
    }
    if (is("kill") || is("torn")) {
        raise_now(SIGKILL);
        pause();
    } else if (is("stop")) {
        raise_now(SIGSTOP);
    } else if (is("signal")) {
        raise_now((int)argument);
    } else if (is("error")) {
        errno = (int)argument;
        return 1;
    }
    return 0;
}

/* What is left of a write of `size` bytes at `offset`; -1: it fails. */
static ssize_t allowed(long offset, size_t size, const char *path, long (*put)(int, const void *, size_t, long), int file,
                       const void *from)
{
    const size_t boundary = ((size_t)offset + size - 1) / 4096 * 4096;
    if (calls + 1 == at && is("torn")) {
        if (boundary > (size_t)offset) {
            note("write", offset, boundary - (size_t)offset, path, NULL, from);
            put(file, from, boundary - (size_t)offset, offset);
        }
    }
    if (strikes()) {
        return -1;
    }
    if (is("full") && calls >= at) {
        if (calls == at && boundary > (size_t)offset) {
            return (ssize_t)(boundary - (size_t)offset);
        }
        errno = ENOSPC;
        return -1;
    }
    if (is("short") && calls >= at && size > (size_t)argument) {
        return (ssize_t)argument;
    }
    return (ssize_t)size;
}

static long put_at(int file, const void *from, size_t size, long offset)
{
    return syscall(SYS_pwrite64, file, from, size, offset);
}

static long put_here(int file, const void *from, size_t size, long offset)
{
    (void)offset;
    return syscall(SYS_write, file, from, size);
}

static ssize_t write_watched(int file, const void *from, size_t size, long offset, const char *path,
                             long (*put)(int, const void *, size_t, long))
{
    pthread_mutex_lock(&mutex);
    long done = allowed(offset, size, path, put, file, from);
    if (done >= 0) {
        done = put(file, from, (size_t)done, offset);
    }
    const int cause = errno;
    if (done > 0) {
        note("write", offset, (size_t)done, path, NULL, from);
    } else {
        note("failed", offset, 0, path, NULL, NULL);
    }
    errno = cause;
    pthread_mutex_unlock(&mutex);
    return done;
}

static long place(int file)
{
    const int flags = fcntl(file, F_GETFL);
    struct stat about;
    if ((flags & O_APPEND) != 0 && fstat(file, &about) == 0) {
        return (long)about.st_size;
    }
    return lseek(file, 0, SEEK_CUR);
}

ssize_t write(int file, const void *from, size_t size)
{
    char path[PATH_MAX];
    if (!path_of(file, path)) {
        return syscall(SYS_write, file, from, size);
    }
    return write_watched(file, from, size, place(file), path, put_here);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    char path[PATH_MAX];
    if (!path_of(file, path)) {
        return syscall(SYS_writev, file, parts, count);
    }
    size_t size = 0;
    for (int k = 0; k < count; ++k) {
        size += parts[k].iov_len;
    }
    char *all = malloc(size + 1);
    size_t done = 0;
    for (int k = 0; k < count; ++k) {
        memcpy(all + done, parts[k].iov_base, parts[k].iov_len);
        done += parts[k].iov_len;
    }
    const ssize_t result = write_watched(file, all, size, place(file), path, put_here);
    const int cause = errno;
    free(all);
    errno = cause;
    return result;
}

ssize_t pwrite(int file, const void *from, size_t size, off_t offset)
{
    char path[PATH_MAX];
    if (!path_of(file, path)) {
        return syscall(SYS_pwrite64, file, from, size, offset);
    }
    return write_watched(file, from, size, offset, path, put_at);
}

ssize_t pwrite64(int file, const void *from, size_t size, off64_t offset)
{
    return pwrite(file, from, size, offset);
}

/* A call that is no write: counted, and noted when it succeeded. */
static long other(const char *op, long size, const char *path, const char *second, long number, long a, long b, long c,
                  long d)
{
    pthread_mutex_lock(&mutex);
    const long result = strikes() ? -1 : syscall(number, a, b, c, d);
    const int cause = errno;
    note(result >= 0 ? op : "failed", 0, (size_t)size, path, second, NULL);
    errno = cause;
    pthread_mutex_unlock(&mutex);
    return result;
}

int ftruncate(int file, off_t size)
{
    char path[PATH_MAX];
    return path_of(file, path) ? (int)other("size", size, path, NULL, SYS_ftruncate, file, size, 0, 0)
                               : (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate64(int file, off64_t size)
{
    return ftruncate(file, size);
}

int fsync(int file)
{
    char path[PATH_MAX];
    return path_of(file, path) ? (int)other("sync", 0, path, NULL, SYS_fsync, file, 0, 0, 0)
                               : (int)syscall(SYS_fsync, file);
}

static int two_names(const char *op, long number, const char *from, const char *to)
{
    char path[PATH_MAX], second[PATH_MAX];
    snprintf(path, sizeof path, "%s", from);
    snprintf(second, sizeof second, "%s", to);
    const int is_counted = is_watched(path);
    return is_watched(second) || is_counted ? (int)other(op, 0, path, second, number, (long)from, (long)to, 0, 0)
                                            : (int)syscall(number, from, to);
}

int rename(const char *from, const char *to)
{
    return two_names("rename", SYS_rename, from, to);
}

int link(const char *from, const char *to)
{
    return two_names("link", SYS_link, from, to);
}

int unlink(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", name);
    return is_watched(path) ? (int)other("unlink", 0, path, NULL, SYS_unlink, (long)name, 0, 0, 0)
                            : (int)syscall(SYS_unlink, name);
}

int open(const char *name, int flags, ...)
{
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", name);
    if ((flags & (O_CREAT | O_TRUNC)) == 0 || !is_watched(path)) {
        return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
    }
    return (int)other((flags & O_TRUNC) != 0 ? "empty" : "open", 0, path, NULL, SYS_openat, AT_FDCWD, (long)name, flags,
                      mode);
}

int open64(const char *name, int flags, ...)
{
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    return open(name, flags, mode);
}
