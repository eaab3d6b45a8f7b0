const columns = {
  performance: 'perf',
  accessibility: 'a11y',
  'best-practices': 'BP',
  seo: 'SEO',
  fcp: 'FCP ms',
  lcp: 'LCP ms',
  tbt: 'TBT ms',
  cls: 'CLS',
  bytes: 'KB in all',
}
const scores = ['performance', 'accessibility', 'best-practices', 'seo']
/** What depends on how busy the machine is. */
const timed = ['performance', 'lcp', 'tbt']
/** Lighthouse's benchmark index of a desktop computer; below it, times are those of the neighbours. */
const QUIET = 1000

const sorted = (values) => [...values].sort((a, b) => a - b)
const median = (values) => sorted(values)[Math.floor(values.length / 2)]
const written = (id, value) => (id === 'cls' ? value.toFixed(3) : Math.round(value).toString())

/** The needs of a page that its runs do not meet, and what Lighthouse found. */
function missedBy({ name, url, needs }, runs, quiet) {
  if (!needs) return []
  const figures = Object.entries(needs)
    .filter(([id]) => quiet || !timed.includes(id))
    .map(([id, needed]) => ({ id, needed, got: median(runs.map((run) => run[id])) }))
    .filter(({ id, needed, got }) =>
      scores.includes(id) ? Math.round(got) < needed : got > needed,
    )
    .map(({ id, needed, got }) => `${columns[id]} ${written(id, got)}, needs ${needed}`)
  const findings = runs
    .flatMap((run) => run.findings)
    .filter((finding) => needs.seo || !finding.startsWith('is-crawlable'))
  const strayed = runs.filter(({ final }) => final !== url).map(({ final }) => `ended at ${final}`)
  return [...new Set([...figures, ...findings, ...strayed])].map((text) => `${name}: ${text}`)
}

function row({ name }, runs) {
  const cells = Object.keys(columns).map((id) => {
    const values = sorted(runs.map((run) => run[id]))
    const range = ` (${written(id, values[0])}–${written(id, values.at(-1))})`
    return written(id, median(values)) + (timed.includes(id) ? range : '')
  })
  return `| ${name} | ${cells.join(' | ')} |`
}

function verdict(missed, quiet) {
  const times = quiet
    ? ''
    : 'The machine was too busy for its times to mean anything: they are not judged. '
  if (missed.length === 0) return `${times}Every page reaches what it needs (\`pages.mjs\`).`
  return `${times}Missed (\`pages.mjs\`):\n\n${missed.map((line) => `- ${line}`).join('\n')}`
}

const milliseconds = (values) =>
  `${Math.round(median(values))} ms (${Math.round(Math.min(...values))}–${Math.round(Math.max(...values))})`

/** The table of all `targets`, the milliseconds of `signUps`, and what each page missed of its needs. */
export function report(targets, runs, signUps, { date, commit, machine, load, rounds }) {
  const speed = sorted([...runs.values()].flat().map(({ benchmark }) => benchmark))
  const quiet = median(speed) >= QUIET
  const missed = targets.flatMap((target) => missedBy(target, runs.get(target.name), quiet))
  const text = `# Lighthouse on the served site

Written by \`make bench-web\`: mobile preset over HTTP/2, median of ${rounds} (in brackets: lowest and highest). App pages
are those of a signed-in admin. Markup and style alone, without any script, are the floor; as Next.js
writes them, pages have its run-time and React.

- ${date}, commit ${commit}, ${machine}, load average ${load} during the runs
- benchmark index by Lighthouse: ${Math.round(speed[0])} to ${Math.round(speed.at(-1))}, median ${Math.round(median(speed))}; ${QUIET} are needed

| page | ${Object.values(columns).join(' | ')} |
|---|${'---:|'.repeat(Object.keys(columns).length)}
${targets.map((target) => row(target, runs.get(target.name))).join('\n')}

From the click on Join Waitlist to the confirmation: ${milliseconds(signUps.desk)}; with a phone's slow 4G
and a quarter of the processor: ${milliseconds(signUps.phone)}.

${verdict(missed, quiet)}
`
  return { text, missed }
}
