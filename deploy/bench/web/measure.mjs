import lighthouse from 'lighthouse'

const categories = ['performance', 'accessibility', 'best-practices', 'seo']

/** One run: the scores, the figures, and the findings behind a score below 100. */
export async function measure(port, { url, signedIn = false }) {
  const { lhr } = await lighthouse(url, {
    port,
    logLevel: 'error',
    output: 'json',
    onlyCategories: categories,
    // The cookie of whoever is signed in has to stay.
    disableStorageReset: signedIn,
  })
  if (lhr.runtimeError) throw new Error(lhr.runtimeError.message)
  const figure = (id) => {
    const { numericValue, errorMessage } = lhr.audits[id]
    if (numericValue === undefined) throw new Error(`no ${id}: ${errorMessage}`)
    return numericValue
  }
  const findings = categories
    .slice(1)
    .flatMap((category) =>
      lhr.categories[category].auditRefs
        .filter(({ id, weight }) => weight > 0 && (lhr.audits[id].score ?? 1) < 1)
        .map(
          ({ id }) => `${id}: ${JSON.stringify(lhr.audits[id].details?.items ?? []).slice(0, 300)}`,
        ),
    )
  return {
    ...Object.fromEntries(categories.map((id) => [id, lhr.categories[id].score * 100])),
    fcp: figure('first-contentful-paint'),
    lcp: figure('largest-contentful-paint'),
    tbt: figure('total-blocking-time'),
    cls: figure('cumulative-layout-shift'),
    bytes: figure('total-byte-weight') / 1024,
    // What this machine did in that moment; an idle one of today reaches 2000 and more.
    benchmark: lhr.environment.benchmarkIndex,
    findings,
    final: lhr.finalDisplayedUrl,
  }
}
