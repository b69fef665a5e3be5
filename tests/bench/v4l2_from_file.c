/* A V4L2 camera made of a file, for a program that knows no other source (ustreamer): preloaded, it answers for one path.
 *
 * CAMERA_PATH   the path that is the camera
 * CAMERA_FILE   YUYV pictures one after the other, delivered again and again
 * CAMERA_JPEG   they are JPEGs instead, each in so many bytes
 * CAMERA_SIZE   such as 640x360
 * CAMERA_FPS    pictures/s
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUFFERS = 8 };

static struct {
    int fd;
    int is_jpeg;
    unsigned width, height, picture_bytes, pictures, slot_bytes;
    long interval_ns, due_ns;
    const char *film;
    char *memory;
    unsigned queue[BUFFERS], head, tail, sequence;
} camera = {.fd = -1};

static long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static int real_open(const char *path, int flags, mode_t mode) {
    static int (*next)(const char *, int, ...);
    if (!next)
        next = dlsym(RTLD_NEXT, "open");
    return next(path, flags, mode);
}

static int open_camera(void) {
    struct stat status;
    int film = real_open(getenv("CAMERA_FILE"), O_RDONLY, 0);
    sscanf(getenv("CAMERA_SIZE"), "%ux%u", &camera.width, &camera.height);
    camera.interval_ns = 1000000000L / atoi(getenv("CAMERA_FPS"));
    const char *jpeg = getenv("CAMERA_JPEG");
    camera.is_jpeg = jpeg != NULL;
    camera.picture_bytes = jpeg ? (unsigned)atoi(jpeg) : camera.width * camera.height * 2;
    if (film < 0 || fstat(film, &status) || status.st_size < camera.picture_bytes)
        return -1;
    camera.pictures = status.st_size / camera.picture_bytes;
    camera.film = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, film, 0);
    camera.slot_bytes = (camera.picture_bytes + 4095) / 4096 * 4096;
    camera.fd = memfd_create("camera", 0);
    if (ftruncate(camera.fd, (off_t)BUFFERS * camera.slot_bytes))
        return -1;
    camera.memory = mmap(NULL, BUFFERS * camera.slot_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, camera.fd, 0);
    return camera.fd;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, int);
    va_end(rest);
    const char *ours = getenv("CAMERA_PATH");
    return ours && strcmp(path, ours) == 0 ? open_camera() : real_open(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int select(int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *timeout) {
    static int (*next)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
    if (!next)
        next = dlsym(RTLD_NEXT, "select");
    if (camera.fd < 0 || !reads || count != camera.fd + 1 || !FD_ISSET(camera.fd, reads))
        return next(count, reads, writes, errors, timeout);
    long early_ns = camera.due_ns - now_ns();
    if (early_ns > 0)
        usleep(early_ns / 1000 + 1);
    if (writes)
        FD_ZERO(writes);
    if (errors)
        FD_ZERO(errors);
    return 1;
}

static int fill_format(struct v4l2_pix_format *format) {
    memset(format, 0, sizeof *format);
    format->width = camera.width;
    format->height = camera.height;
    format->pixelformat = camera.is_jpeg ? V4L2_PIX_FMT_MJPEG : V4L2_PIX_FMT_YUYV;
    format->field = V4L2_FIELD_NONE;
    format->bytesperline = camera.is_jpeg ? 0 : camera.width * 2;
    format->sizeimage = camera.picture_bytes;
    return 0;
}

static int give_picture(struct v4l2_buffer *buffer) {
    long now = now_ns();
    if (camera.head == camera.tail || now < camera.due_ns) {
        errno = EAGAIN;
        return -1;
    }
    camera.due_ns += camera.interval_ns;
    unsigned slot = camera.queue[camera.head++ % BUFFERS], picture = camera.sequence % camera.pictures;
    memcpy(camera.memory + (size_t)slot * camera.slot_bytes, camera.film + (size_t)picture * camera.picture_bytes,
           camera.picture_bytes);
    buffer->index = slot;
    buffer->bytesused = camera.picture_bytes;
    buffer->length = camera.slot_bytes;
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    buffer->sequence = camera.sequence++;
    buffer->timestamp.tv_sec = now / 1000000000L;
    buffer->timestamp.tv_usec = now % 1000000000L / 1000;
    return 0;
}

static int answer(unsigned request, void *argument) {
    switch (request) {
    case (unsigned)VIDIOC_QUERYCAP: {
        struct v4l2_capability *found = argument;
        memset(found, 0, sizeof *found);
        found->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        found->capabilities = found->device_caps | V4L2_CAP_DEVICE_CAPS;
        return 0;
    }
    case (unsigned)VIDIOC_G_FMT:
    case (unsigned)VIDIOC_S_FMT:
        return fill_format(&((struct v4l2_format *)argument)->fmt.pix);
    case (unsigned)VIDIOC_G_PARM:
    case (unsigned)VIDIOC_S_PARM: {
        struct v4l2_captureparm *granted = &((struct v4l2_streamparm *)argument)->parm.capture;
        granted->capability = V4L2_CAP_TIMEPERFRAME;
        granted->timeperframe = (struct v4l2_fract){1, 1000000000L / camera.interval_ns};
        return 0;
    }
    case (unsigned)VIDIOC_REQBUFS: {
        struct v4l2_requestbuffers *wish = argument;
        wish->count = wish->count < BUFFERS ? wish->count : BUFFERS;
        return 0;
    }
    case (unsigned)VIDIOC_QUERYBUF: {
        struct v4l2_buffer *buffer = argument;
        buffer->length = camera.slot_bytes;
        buffer->m.offset = buffer->index * camera.slot_bytes;
        return 0;
    }
    case (unsigned)VIDIOC_QBUF:
        camera.queue[camera.tail++ % BUFFERS] = ((struct v4l2_buffer *)argument)->index;
        return 0;
    case (unsigned)VIDIOC_DQBUF:
        return give_picture(argument);
    case (unsigned)VIDIOC_STREAMON:
        camera.due_ns = now_ns();
        return 0;
    case (unsigned)VIDIOC_STREAMOFF:
    case (unsigned)VIDIOC_S_INPUT:
    case (unsigned)VIDIOC_G_INPUT:
        return 0;
    }
    errno = EINVAL;
    return -1;
}

int ioctl(int fd, unsigned long request, ...) {
    static int (*next)(int, unsigned long, ...);
    if (!next)
        next = dlsym(RTLD_NEXT, "ioctl");
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return fd == camera.fd && fd >= 0 ? answer(request, argument) : next(fd, request, argument);
}
