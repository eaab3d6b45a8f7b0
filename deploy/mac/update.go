package mac

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/semver"
)

// App is what is installed on this Mac, as it tells the site with every check.
type App struct {
	// Version is such as "1.2.0"; Arch is "arm64" or "x64".
	Version, Arch string
	// MacOS is such as "15.1"; may be empty, and any release is for it then.
	MacOS string
	// Channel is "latest", "beta" or "alpha". An app with one goes back to a lower version, too; one without
	// is on "latest".
	Channel string
}

// Update is a build that the site offers.
type Update struct {
	Version string
	// Required is for an app that is older than the site still takes.
	Required bool
	// Path is below the site's origin, SHA512 in base64, Size in bytes.
	Path, SHA512 string
	Size         int64
}

type updateFeed struct {
	Version string `yaml:"version"`
	Minimum string `yaml:"minimumVersion"`
	// System is the oldest Darwin kernel that the release runs on, such as "21.0.0".
	System string       `yaml:"minimumSystemVersion"`
	Files  []updateFile `yaml:"files"`
}

type updateFile struct {
	URL    string `yaml:"url"`
	SHA512 string `yaml:"sha512"`
	Size   int64  `yaml:"size"`
}

// isArm64 goes by the name, as electron-updater does.
func (f updateFile) isArm64() bool { return strings.Contains(f.URL, "arm64") }

var (
	errFeed = errors.New("the update feed cannot be read")
	// ErrDamaged is for an archive of another size or content than the feed says.
	ErrDamaged = errors.New("the update is not what the site said it would be: it was not kept")
)

const updaterFile = "updater.json"

// CheckForUpdate asks for the build that this Mac should install; nil for none.
func (c *Client) CheckForUpdate(ctx context.Context, app App) (*Update, error) {
	id, err := c.updaterID()
	if err != nil {
		return nil, err
	}
	channel := app.Channel
	if channel == "" {
		channel = "latest"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.site.origin+"/api/updates/"+url.PathEscape(channel)+"-mac.yml", nil)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"X-User-Staging-Id": id, "X-App-Version": app.Version, "X-App-Arch": app.Arch, "X-Macos-Version": app.MacOS} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, &Problem{Status: resp.StatusCode}
	}
	var feed updateFeed
	if err := yaml.NewDecoder(bytes.NewReader(content)).Decode(&feed); err != nil {
		return nil, fmt.Errorf("%w: %w", errFeed, err)
	}
	return feed.offer(app)
}

// offer is what of the feed the app should install.
func (f updateFeed) offer(app App) (*Update, error) {
	installed, offered := "v"+app.Version, "v"+f.Version
	if !semver.IsValid(installed) || !semver.IsValid(offered) {
		return nil, fmt.Errorf("%w: %q beside %q", errFeed, f.Version, app.Version)
	}
	newer := semver.Compare(offered, installed)
	if len(f.Files) == 0 || newer == 0 || newer < 0 && app.Channel == "" || !f.runsOn(app.MacOS) {
		return nil, nil
	}
	// Apple silicon takes the universal archive where there is none of its own.
	native := app.Arch == "arm64" && slices.ContainsFunc(f.Files, updateFile.isArm64)
	for _, file := range f.Files {
		if file.isArm64() != native {
			continue
		}
		if !strings.HasPrefix(file.URL, "/") || file.Size <= 0 || file.SHA512 == "" {
			return nil, errFeed
		}
		required := f.Minimum != "" && semver.Compare(installed, "v"+f.Minimum) < 0
		return &Update{Version: f.Version, Required: required, Path: file.URL, SHA512: file.SHA512, Size: file.Size}, nil
	}
	return nil, nil
}

// runsOn goes by the kernel's major version, which follows that of macOS: 11 is Darwin 20, 15 is 24, and 26,
// the next, is 25.
func (f updateFeed) runsOn(macOS string) bool {
	major, _, _ := strings.Cut(macOS, ".")
	kernel, err := strconv.Atoi(major)
	if err != nil {
		return true
	}
	if kernel >= 26 {
		kernel--
	} else {
		kernel += 9
	}
	return semver.Compare("v"+strconv.Itoa(kernel), semver.Major("v"+f.System)) >= 0
}

// updaterID is by which the site decides whether this Mac is in a rollout; made once, and of nobody.
func (c *Client) updaterID() (string, error) {
	var id uuid.UUID
	err := c.store.read(updaterFile, &id)
	if errors.Is(err, fs.ErrNotExist) {
		id = uuid.New()
		err = c.store.write(updaterFile, id)
	}
	return id.String(), err
}

// Download puts the update's archive at path. What is not of its size and checksum is ErrDamaged, and not kept.
func (c *Client) Download(ctx context.Context, u Update, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.site.origin+u.Path, nil)
	if err != nil {
		return err
	}
	resp, err := c.files.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return &Problem{Status: resp.StatusCode}
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".update-*")
	if err != nil {
		return err
	}
	sum := sha512.New()
	// No more than a byte too many, whatever is sent.
	size, err := io.Copy(io.MultiWriter(part, sum), io.LimitReader(resp.Body, u.Size+1))
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUnreachable, err)
	} else if size != u.Size || base64.StdEncoding.EncodeToString(sum.Sum(nil)) != u.SHA512 {
		err = ErrDamaged
	}
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}
