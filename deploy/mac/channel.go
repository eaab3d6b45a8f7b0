package mac

import (
	"context"
	"errors"
	"io/fs"
)

const channelFile = "channel.json"

// Channel is what App.Channel is on this Mac: "beta" or "alpha" while the person has that channel, "latest" from then on,
// so that the app goes back to the stable release, and "" on a Mac that never had another. When nobody is signed in, or
// the site does not say, it is the one of before.
func (c *Client) Channel(ctx context.Context) (string, error) {
	var followed string
	if err := c.store.read(channelFile, &followed); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var got struct {
		Channel string `json:"channel"`
	}
	err := c.get(ctx, "/api/get-update-channel", &got)
	var problem *Problem
	if errors.Is(err, ErrSignedOut) || errors.Is(err, ErrAnotherAccount) || errors.Is(err, ErrUnreachable) || errors.As(err, &problem) {
		return followed, nil
	}
	if err != nil {
		return "", err
	}
	now := followed
	switch got.Channel {
	case "beta", "alpha":
		now = got.Channel
	case "stable":
		if followed != "" {
			now = "latest"
		}
	}
	if now != followed {
		err = c.store.write(channelFile, now)
	}
	return now, err
}
