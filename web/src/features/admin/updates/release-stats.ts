import type { Release } from '@/lib/api/types'
import { isPrerelease } from './rollout-words'

/** What the releases add up to. */
export interface ReleaseStats {
  totalDownloads: number
  /** Those that people are offered. */
  available: number
}

export function releaseStats(releases: readonly Release[]): ReleaseStats {
  return {
    totalDownloads: releases.reduce((sum, release) => sum + release.downloadCount, 0),
    available: releases.filter(({ isAvailable, version }) => isAvailable && !isPrerelease(version))
      .length,
  }
}
