package release

import "time"

// MaxPreviewDays is how long a preview link works at most.
const MaxPreviewDays = 30

// PreviewLink lets whoever has it download a release, offered or not, until it ends.
type PreviewLink struct {
	ID                int64
	CreatedAt, EndsAt time.Time
}

// DiskImages are the files of a release that people download, in the order of their upload.
func (r Release) DiskImages() []Asset {
	var images []Asset
	for _, a := range r.Assets {
		if a.isBuild() && a.extension() == diskImage {
			images = append(images, a)
		}
	}
	return images
}
