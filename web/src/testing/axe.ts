import axe from 'axe-core'

/**
 * Returns one line per accessibility violation in `element`, `[]` when there is none.
 * Colour contrast and visible labels need layout and a canvas, and are checked in the browser suite instead.
 */
export async function violations(element: Element): Promise<string[]> {
  const result = await axe.run(element, {
    rules: {
      'color-contrast': { enabled: false },
      'label-content-name-mismatch': { enabled: false },
      region: { enabled: false },
    },
  })
  return result.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html}`),
  )
}
