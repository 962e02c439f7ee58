# A formula for Homebrew: brew install --build-from-source ./packaging/homebrew/fathom-relu.rb, after `make dist` in the
# source tree (the archive is taken from there until a release is published). Not run here: no Homebrew was at hand.
class FathomRelu < Formula
  desc "Two-layer ReLU networks, solved: convex training with certificates"
  url "file://#{File.expand_path("../../dist/fathom_relu-0.2.0.tar.gz", __dir__)}"
  license "Apache-2.0"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "random123" => :build
  depends_on "clp"
  depends_on "flint"
  depends_on "gmp"
  depends_on "jansson"
  depends_on "lapack"
  depends_on "libomp" if OS.mac?
  depends_on "openblas"
  depends_on "sundials"
  depends_on "xz"
  depends_on "zstd"
  uses_from_macos "bzip2"
  uses_from_macos "python" => :build
  uses_from_macos "zlib"

  def install
    system "meson", "setup", "build", "-Dtests=none", *std_meson_args
    system "meson", "compile", "-C", "build"
    system "meson", "install", "-C", "build"
  end

  test do
    system bin/"fathom", "train", "builtin:wdbc", "--model", "gated", "--gates", "50", "--quiet"
    assert_match version.to_s, shell_output("#{bin}/fathom-check --version")
    system bin/"fathom", *%w[flow gen:parity,d=3 --method flow --accuracy reference --train first --width 8 --until log_loss=-500 --quiet]
  end
end
