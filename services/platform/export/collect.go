package export

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"

	exportv1 "fledge.dev/proto/gen/go/fledge/export/v1"
)

// Ask has a service tell its next piece.
type Ask func(ctx context.Context, cursor string) (parts []*exportv1.Part, next string, err error)

// Remote has a service told by its method ExportAccount.
func Remote[Req any, Resp interface {
	GetParts() []*exportv1.Part
	GetNextCursor() string
}](call func(context.Context, *Req, ...grpc.CallOption) (Resp, error), request func(cursor string) *Req) Ask {
	return func(ctx context.Context, cursor string) ([]*exportv1.Part, string, error) {
		resp, err := call(ctx, request(cursor))
		if err != nil {
			return nil, "", err
		}
		return resp.GetParts(), resp.GetNextCursor(), nil
	}
}

// File is one file of an archive.
type File struct {
	Name, About string
	// Rows are JSON objects.
	Rows []string
}

// Collect asks all services at once, each until it has told everything; a piece may take so long
// as patience says. The files are in the order of the services. If one service fails the others are
// asked no further: there is no export without one of them.
func Collect(ctx context.Context, patience time.Duration, services ...Ask) (Archive, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	told := make([][]*exportv1.Part, len(services))
	var asking sync.WaitGroup
	for i, ask := range services {
		asking.Go(func() {
			var err error
			if told[i], err = all(ctx, patience, ask); err != nil {
				cancel(err)
			}
		})
	}
	asking.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var archive Archive
	for _, parts := range told {
		for _, part := range parts {
			archive = archive.add(part)
		}
	}
	return archive, nil
}

func all(ctx context.Context, patience time.Duration, ask Ask) (parts []*exportv1.Part, err error) {
	for cursor := ""; ; {
		piece, next, err := oneOf(ctx, patience, ask, cursor)
		if err != nil {
			return nil, err
		}
		parts = append(parts, piece...)
		if next == "" {
			return parts, nil
		}
		cursor = next
	}
}

func oneOf(ctx context.Context, patience time.Duration, ask Ask, cursor string) ([]*exportv1.Part, string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return ask(ctx, cursor)
}

func (a Archive) add(part *exportv1.Part) Archive {
	for i := range a {
		if a[i].Name == part.GetFile() {
			a[i].Rows = append(a[i].Rows, part.GetRows()...)
			return a
		}
	}
	return append(a, File{Name: part.GetFile(), About: part.GetAbout(), Rows: part.GetRows()})
}
