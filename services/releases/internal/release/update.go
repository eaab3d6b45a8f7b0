package release

import (
	"slices"
	"strings"

	"fledge.dev/services/platform/rollout"
)

// App is what an installed app tells when it asks for an update.
type App struct {
	// StagingID is electron-updater's, as it was sent; empty when none was.
	StagingID string
	// Arch is Arm64 or X64; empty for a client that does not tell, which gets the
	// files for both and picks.
	Arch Arch
	// Installed is the app's version; empty for a client that compares itself.
	Installed Version
	// Channel is which releases the app follows; empty is Stable.
	Channel Channel
}

// Update is a release as one app is offered it.
type Update struct {
	Release Release
	// Files are zip archives: the one for the app's architecture, else those that
	// serve every Mac, each with a checksum.
	Files []Asset
}

// UpdateFor returns the update that an app is offered: the newest release on its channel
// whose rollout reaches it and that has the files it needs. The releases
// are in the order of Sort. ok is false when there is none.
func UpdateFor(releases []Release, app App) (u Update, ok bool) {
	for _, r := range releases {
		if app.Installed != "" && r.Version.Compare(app.Installed) <= 0 {
			return Update{}, false
		}
		if files, verdict := r.evaluate(app); verdict == offered {
			return Update{Release: r, Files: files}, true
		}
	}
	return Update{}, false
}

// verdict is whether an app is offered a release, and if not, why.
type verdict int

const (
	offered verdict = iota
	unavailable
	otherChannel
	outsideRollout
	noBuild
)

// evaluate returns what becomes of a release for an app, whatever version that has, and the files
// if it is offered.
func (r Release) evaluate(app App) ([]Asset, verdict) {
	switch {
	case !r.Available:
		return nil, unavailable
	case !app.Channel.carries(r.Channel()):
		return nil, otherChannel
	case !rollout.Reaches(reach(r.Rollout.Percentage), app.StagingID):
		return nil, outsideRollout
	}
	if files := r.updateFiles(app.Arch); len(files) > 0 {
		return files, offered
	}
	return nil, noBuild
}

// Step is an update and the part of a staged rollout that is offered it: the places below Reach.
type Step struct {
	Update
	// Reach is 1 to rollout.Everybody.
	Reach int64
}

// Steps returns what UpdateFor says to apps of a channel that tell neither architecture nor
// version: an app is offered the first step that reaches its place. The releases are
// in the order of Sort.
func Steps(releases []Release, c Channel) []Step {
	var steps []Step
	var reached int64
	for _, r := range releases {
		if !r.OfferedOn(c) || reach(r.Rollout.Percentage) <= reached {
			continue
		}
		if files := r.updateFiles(""); len(files) > 0 {
			reached = reach(r.Rollout.Percentage)
			steps = append(steps, Step{Update{Release: r, Files: files}, reached})
		}
	}
	return steps
}

// A File is a file of a release by its name.
type File struct {
	Version Version
	Name    string
}

// Current returns the files to which people or apps are sent: what a button or a feed of any channel
// offers now, and the block maps of that. The releases are in the order of Sort.
func Current(releases []Release) map[File]bool {
	current := map[File]bool{}
	add := func(v Version, files ...Asset) {
		for _, a := range files {
			current[File{v, a.Name}], current[File{v, a.Name + ".blockmap"}] = true, true
		}
	}
	for _, c := range []Channel{Stable, Beta, Alpha} {
		offers, _ := Latest(releases, c)
		for _, o := range offers {
			add(o.Version, o.Asset)
		}
		for _, s := range Steps(releases, c) {
			add(s.Release.Version, s.Files...)
		}
		for _, arch := range []Arch{Arm64, X64} { // Squirrel's, which may get what electron-updater does not
			if u, ok := UpdateFor(releases, App{Arch: arch, Channel: c}); ok {
				add(u.Release.Version, u.Files...)
			}
		}
	}
	return current
}

// updateFiles are the files that an app of the architecture is offered, none if it cannot be.
func (r Release) updateFiles(arch Arch) []Asset {
	if arch == "" {
		files, _ := r.filesForAll()
		return files
	}
	if a, ok := r.archive(arch); ok && a.SHA512 != "" {
		return []Asset{a}
	}
	return nil
}

// archive is the one for the architecture, not an empty one.
func (r Release) archive(arch Arch) (Asset, bool) {
	a, ok := r.build(arch, archive)
	return a, ok && a.Size > 0
}

// UpdateProblem is what keeps a release from being offered to apps that do not tell their architecture,
// as electron-updater; empty for nothing.
type UpdateProblem string

// The problems.
const (
	// NoArchive is that there is none, or an empty one, for one kind of Mac or for both: half of the apps
	// could only fail.
	NoArchive UpdateProblem = "no_archive"
	// MisleadingNames are those by which electron-updater would take the wrong archive.
	MisleadingNames UpdateProblem = "misleading_names"
	// NoChecksum is that the checksum of an archive is not known.
	NoChecksum UpdateProblem = "no_checksum"
)

// UpdateProblem is the release's, available or not.
func (r Release) UpdateProblem() UpdateProblem {
	_, problem := r.filesForAll()
	return problem
}

func (r Release) filesForAll() ([]Asset, UpdateProblem) {
	silicon, hasSilicon := r.archive(Arm64)
	intel, hasIntel := r.archive(X64)
	if !hasSilicon || !hasIntel {
		return nil, NoArchive
	}
	files := []Asset{silicon}
	if intel.Name != silicon.Name {
		files = append(files, intel)
	}
	if r.picked(files, Arm64) != silicon.Name || r.picked(files, X64) != intel.Name {
		return nil, MisleadingNames
	}
	if slices.ContainsFunc(files, func(f Asset) bool { return f.SHA512 == "" }) {
		return nil, NoChecksum
	}
	return files, ""
}

// picked is the file that electron-updater takes on a Mac of the architecture
// (MacUpdater.filterFilesForArch and findFile in 6.8). It looks for the name of
// the architecture anywhere in the path, the version included, and knows no other
// spelling; a release whose names it would misread is better not offered.
func (r Release) picked(files []Asset, arch Arch) string {
	path := func(a Asset) string { return string(r.Version) + "/" + a.Name }
	isSilicon := func(a Asset) bool { return strings.Contains(path(a), string(Arm64)) }
	wanted := arch == Arm64 && slices.ContainsFunc(files, isSilicon)
	fitting := slices.DeleteFunc(slices.Clone(files), func(a Asset) bool { return isSilicon(a) != wanted })
	if i := slices.IndexFunc(fitting, func(a Asset) bool { return strings.Contains(path(a), string(arch)) }); i >= 0 {
		return fitting[i].Name
	}
	if len(fitting) == 0 {
		return ""
	}
	return fitting[0].Name
}
