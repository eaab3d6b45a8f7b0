package prepare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// notSources are in web/ and do not affect the built site.
var notSources = map[string]bool{
	"node_modules": true, ".next": true, "out": true, "coverage": true,
	"next-env.d.ts": true, "tsconfig.tsbuildinfo": true, "README.md": true,
}

// Site exports the web app and returns the folder.
func (b *Builder) Site(ctx context.Context) (string, error) {
	web := filepath.Join(b.Root, "web")
	out := filepath.Join(web, "out")
	if err := b.sitePackages(ctx); err != nil {
		return out, err
	}
	return out, b.export(ctx, web)
}

func (b *Builder) sitePackages(ctx context.Context) error {
	return b.npm(ctx, "the site", filepath.Join(b.Root, "web"))
}

// export builds the site unless its sources are the same as last time.
func (b *Builder) export(ctx context.Context, web string) error {
	hash, err := treeHash(web)
	if err != nil {
		return err
	}
	stamp := b.State.Path("bin", "site.hash")
	built, err := os.ReadFile(stamp)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if string(built) == hash && exists(filepath.Join(web, "out", "index.html")) {
		return nil
	}
	release, err := b.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return b.step(ctx, "site", "built when its sources change", func(ctx context.Context, log *os.File) error {
		if err := errors.Join(removeIfThere(stamp), b.command(ctx, log, web, "npm", "run", "build")); err != nil {
			return err
		}
		return renameio.WriteFile(stamp, []byte(hash), 0o644)
	})
}

// treeHash is a hash over the names and contents of a folder's sources.
func treeHash(root string) (string, error) {
	hash := sha256.New()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if notSources[entry.Name()] {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return hashFile(hash, root, path)
	})
	return hex.EncodeToString(hash.Sum(nil)), err
}

func hashFile(hash io.Writer, root, path string) error {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	_, err = hash.Write(append(append([]byte(name), 0), sum[:]...))
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
