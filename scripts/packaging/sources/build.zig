const std = @import("std");

pub fn build(b: *std.Build) void {
    const module = b.createModule(.{
        .target = b.standardTargetOptions(.{}),
        .optimize = b.standardOptimizeOption(.{}),
        .link_libc = true,
    });
    module.addCSourceFile(.{ .file = b.path("settle.c"), .flags = &.{"-std=c99"} });
    const library = b.addLibrary(.{ .name = "settle", .root_module = module });
    library.installHeader(b.path("settle.h"), "settle.h");
    library.installHeadersDirectory(b.path("adapters"), "", .{});
    b.installArtifact(library);
}
