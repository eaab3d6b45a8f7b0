package site

import (
	"bytes"
	"compress/gzip"
	"path"

	"github.com/andybalholm/brotli"
)

// worthIt is the size in bytes below which the headers outweigh the gain.
const worthIt = 512

var compressible = map[string]bool{
	".html": true, ".js": true, ".css": true, ".svg": true, ".txt": true, ".xml": true, ".json": true, ".webmanifest": true,
}

func isCompressible(name string, content []byte) bool {
	return compressible[path.Ext(name)] && len(content) >= worthIt
}

func isCompressed(name string) bool {
	return path.Ext(name) == ".br" || path.Ext(name) == ".gz"
}

// compressor keeps its memory from one file to the next.
type compressor struct {
	brotli *brotli.Writer
	gzip   *gzip.Writer
}

// forms are the compressed forms of a file by the extension of their names.
func (c *compressor) forms(content []byte) map[string][]byte {
	if c.brotli == nil {
		// Twice the time of a higher quality would make pages smaller by 0.3 %.
		c.brotli = brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: 6, LGWin: 18})
		c.gzip, _ = gzip.NewWriterLevel(nil, gzip.BestCompression)
	}
	var br, gz bytes.Buffer
	c.brotli.Reset(&br)
	c.gzip.Reset(&gz)
	// Writing to memory does not fail.
	_, _ = c.brotli.Write(content)
	_, _ = c.gzip.Write(content)
	_ = c.brotli.Close()
	_ = c.gzip.Close()
	return map[string][]byte{".br": br.Bytes(), ".gz": gz.Bytes()}
}
