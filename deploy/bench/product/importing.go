package product

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

const (
	importLines = 1_000_000
	// importPart is PART_LINES of web/src/features/admin/waitlist/file-parts.ts.
	importPart = 25_000
)

const importHead = `A file of %d lines of an address and a day goes through the site in parts of %d lines, as the staff's page sends
them, one after the other; then the first part once more, of which all are known. Memory is that of the process alone (USS), looked at after each part.

| lines added | file MB | s | lines per second | slowest part, s | known again, s | gateway MiB | waitlist MiB |
|---:|---:|---:|---:|---:|---:|---:|---:|
`

// importing measures the import of a long file.
func (b *bench) importing(ctx context.Context) (string, error) {
	var took []time.Duration
	most, added, size := map[string]float64{}, 0, 0
	for first := 0; first < importLines; first += importPart {
		part := partOf(first)
		size += len(part)
		if err := b.admin.Renew(ctx); err != nil {
			return "", err
		}
		began := time.Now()
		n, err := b.importPart(ctx, part)
		if err != nil {
			return "", err
		}
		added += n
		took = append(took, time.Since(began))
		for _, name := range []string{"gateway", "waitlist"} {
			program, err := b.Program(name)
			if err != nil {
				return "", err
			}
			mib, err := own(program.PID())
			if err != nil {
				return "", err
			}
			most[name] = max(most[name], mib)
		}
	}
	began := time.Now()
	switch n, err := b.importPart(ctx, partOf(0)); {
	case err != nil:
		return "", err
	case n != 0:
		return "", fmt.Errorf("%d lines were added twice", n)
	}
	again := time.Since(began)
	var all time.Duration
	for _, one := range took {
		all += one
	}
	return fmt.Sprintf(importHead, importLines, importPart) + fmt.Sprintf("| %d | %.0f | %.0f | %.0f | %.1f | %.1f | %.0f | %.0f |\n",
		added, float64(size)/1e6, all.Seconds(), importLines/all.Seconds(), slices.Max(took).Seconds(), again.Seconds(), most["gateway"], most["waitlist"]), nil
}

// partOf are the lines from the first on, after the names of the columns.
func partOf(first int) []byte {
	var text bytes.Buffer
	text.WriteString("email,joined\n")
	for n := first; n < first+importPart; n++ {
		_, _ = fmt.Fprintf(&text, "person.%07d@import.example,2026-%02d-%02dT08:30:00Z\n", n, 1+n*6/importLines, 1+n%28)
	}
	return text.Bytes()
}

// importPart imports a file and returns how many lines were added.
func (b *bench) importPart(ctx context.Context, part []byte) (added int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.URLs().Site+"/api/import-waitlist-users?email=1&joined=2&status=0&source=0&dates=day_first", bytes.NewReader(part))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "text/csv")
	b.admin.Authorize(req)
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	content, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("an import was answered %s: %s", resp.Status, content)
	}
	var report struct{ Added int }
	err = json.Unmarshal(content, &report)
	return report.Added, err
}
