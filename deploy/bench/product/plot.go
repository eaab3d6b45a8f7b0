package product

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// plot draws how each operation's cost grows from its first size: growth.svg. Its
// colours can be told apart on white and on black.
func plot(dir string, names []string, costs map[string][]float64) error {
	const width, height, left, top, bottom, right = 640, 300, 50, 20, 40, 190
	highest := 2.0
	for _, c := range costs {
		for _, cost := range c {
			highest = math.Max(highest, cost/c[0])
		}
	}
	x := func(i int) float64 { return left + float64(i)*(width-left-right)/float64(len(sizes)-1) }
	y := func(growth float64) float64 { return height - bottom - growth/highest*(height-top-bottom) }
	colours := []string{"#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#66a61e", "#a6761d"}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#808080">`+"\n", width, height)
	for _, line := range []float64{0, 1, most, highest} {
		fmt.Fprintf(&b, `<path d="M%d %.0fH%d" stroke="#808080" stroke-opacity=".4"/><text x="%d" y="%.0f" text-anchor="end">%.1f×</text>`+"\n", left, y(line), width-right, left-6, y(line)+4, line)
	}
	for i, size := range sizes {
		fmt.Fprintf(&b, `<text x="%.0f" y="%d" text-anchor="middle">%d rows</text>`+"\n", x(i), height-bottom+20, size)
	}
	for n, name := range names {
		colour := colours[n%len(colours)]
		var points []string
		for i, cost := range costs[name] {
			points = append(points, fmt.Sprintf("%.0f,%.0f", x(i), y(cost/costs[name][0])))
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/><text x="%d" y="%d" fill="%s">%s</text>`+"\n",
			strings.Join(points, " "), colour, width-right+12, top+20+18*n, colour, name)
	}
	b.WriteString("</svg>\n")
	return renameio.WriteFile(filepath.Join(dir, "growth.svg"), []byte(b.String()), 0o644)
}
