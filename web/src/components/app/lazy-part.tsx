import dynamic from 'next/dynamic'
import type { ComponentType, ReactNode } from 'react'

const ownTask = () => new Promise((resolve) => setTimeout(resolve))

/** The design system; Chakra's modules run in one task, what the site makes of them in the next. */
async function loadDesign() {
  await import('./chakra')
  await ownTask()
  return import('./theme/design-system')
}

interface Options<Props> {
  /** Holds the place of the part until it is there. */
  loading?: () => ReactNode
  /** Takes its place when it does not arrive, such as without a network; the error screen by itself. */
  failed?: ComponentType<Props>
}

/**
 * A part of a page with the design system around it. Both are fetched when the part is first shown, and
 * run in tasks of their own, so that the page has come to life before.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { loading = () => null, failed }: Options<Props> = {},
): ComponentType<Props> {
  const designed = async () => {
    const [{ DesignSystem }, Part] = await Promise.all([loadDesign(), load()])
    return function Designed(props: Props) {
      return (
        <DesignSystem>
          <Part {...props} />
        </DesignSystem>
      )
    }
  }
  return dynamic(failed ? () => designed().catch(() => failed) : designed, { loading })
}
