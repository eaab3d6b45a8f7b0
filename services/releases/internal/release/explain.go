package release

import (
	"fmt"
	"math"
	"strconv"

	"fledge.dev/services/platform/rollout"
)

// maxExplained is how many releases that an app is not offered are named one by one.
const maxExplained = 20

// Explanation is what an app is offered, and why.
type Explanation struct {
	// Offered is empty when there is no update.
	Offered Version
	// Sentences begin with the answer; the releases that were looked at follow, newest first.
	Sentences []string
}

// Explain says in sentences for staff what UpdateFor decides about an app. The releases are in the
// order of Sort.
func Explain(releases []Release, app App) Explanation {
	var why []string
	for _, r := range releases {
		_, v := r.evaluate(app)
		why = append(why, r.because(v, app))
		if v != offered {
			continue
		}
		if app.Installed != "" && r.Version.Compare(app.Installed) <= 0 {
			return explained(Release{}, r.noUpdateTo(app), app, why)
		}
		return explained(r, fmt.Sprintf("This app is offered v%s.", r.Version), app, why)
	}
	return explained(Release{}, "There is no update: no release is for this app.", app, why)
}

// noUpdateTo is the answer to an app whose newest release is not higher than what it has. electron-updater
// compares the versions itself, and with a channel goes back.
func (r Release) noUpdateTo(app App) string {
	if app.Arch == "" && r.Version.Compare(app.Installed) < 0 {
		return fmt.Sprintf("No higher version: an app with electron-updater that names a channel goes back to v%s; any other keeps v%s.", r.Version, app.Installed)
	}
	return fmt.Sprintf("There is no update: the newest release for this app is v%s, and it has v%s.", r.Version, app.Installed)
}

func explained(r Release, answer string, app App, why []string) Explanation {
	place := "It sends no id that counts, so only complete rollouts reach it."
	if percent, ok := placeIn100(app.StagingID); ok {
		place = "Its id is at " + percent + " of 100 in every rollout: a rollout above that reaches it."
	}
	e := Explanation{Offered: r.Version, Sentences: []string{answer, place}}
	if more := len(why) - maxExplained; more > 0 {
		e.Sentences = append(e.Sentences, fmt.Sprintf("The newest %d releases are not for it, either.", more))
		why = why[more:]
	}
	e.Sentences = append(e.Sentences, why...)
	for _, arch := range []Arch{Arm64, X64} {
		if a, ok := r.archive(arch); ok && (app.Arch == "" || app.Arch == arch) {
			e.Sentences = append(e.Sentences, fmt.Sprintf("The update of %s is %s.", kinds[arch], a.Name))
		}
	}
	if r.Version != "" && app.Arch == "" { // Squirrel does not look at the system
		e.Sentences = append(e.Sentences, fmt.Sprintf("A Mac with a system older than macOS %d does not install it.", OldestMacOS))
	}
	return e
}

// because says why the verdict is what it is.
func (r Release) because(v verdict, app App) string {
	name := "v" + string(r.Version)
	switch v {
	case unavailable:
		if r.ReplacedAt != nil {
			return name + " was disabled because its files were replaced on GitHub."
		}
		return name + " is disabled."
	case otherChannel:
		return fmt.Sprintf("%s is on the channel %s, and the app follows %s.", name, r.Channel(), app.Channel.orStable())
	case outsideRollout:
		return fmt.Sprintf("%s is rolled out to %d%%, which does not reach it.", name, r.Rollout.Percentage)
	case noBuild:
		return name + r.noBuildBecause(app.Arch)
	default:
		return fmt.Sprintf("%s is enabled, on the channel %s, and rolled out to %d%%.", name, r.Channel(), r.Rollout.Percentage)
	}
}

// kinds are what the Macs of the architectures are called.
var kinds = map[Arch]string{Arm64: "a Mac with Apple silicon", X64: "a Mac with Intel"}

// noBuildBecause is why an app of the architecture is not offered the release; one with
// electron-updater does not tell it.
func (r Release) noBuildBecause(arch Arch) string {
	if kind, told := kinds[arch]; told {
		if _, ok := r.archive(arch); ok {
			return " has an archive for " + kind + " whose checksum is not worked out yet."
		}
		return " has no archive for " + kind + ", or an empty one."
	}
	switch r.UpdateProblem() {
	case MisleadingNames:
		return " has archives whose names electron-updater would misread."
	case NoChecksum:
		return " has an archive whose checksum is not worked out yet."
	}
	_, silicon := r.archive(Arm64)
	if _, intel := r.archive(X64); !silicon && !intel {
		return " has no archive for any Mac, or an empty one."
	}
	return " lacks an archive for one kind of Mac, or has an empty one. Squirrel's apps on the other kind can get it."
}

// placeIn100 is where an app is in every rollout, as a percentage that is cut off after two
// digits: rounded up it could be the rollout's own.
func placeIn100(stagingID string) (string, bool) {
	place, ok := rollout.Place(stagingID)
	percent := math.Floor(float64(place)/math.MaxUint32*1e4) / 1e2
	return strconv.FormatFloat(percent, 'f', 2, 64), ok
}
