import { describe, expect, it } from 'vitest'
import type { Release } from '@/lib/api/types'
import { rolloutWords } from './rollout-words'

const release = (change: Partial<Release>): Release => ({
  id: 1,
  name: 'Fledge 1.0.0',
  version: '1.0.0',
  channel: 'stable',
  chosenChannel: null,
  publishedAt: '2026-11-01T10:00:00Z',
  downloadCount: 0,
  siteDownloadCount: 0,
  isAvailable: true,
  isRequired: false,
  replacedAt: null,
  promotedAt: null,
  updateProblem: null,
  rolloutPercentage: 100,
  nextPercentage: null,
  nextPercentageAt: null,
  assets: [],
  ...change,
})

describe('what a rollout means', () => {
  it.each<[Partial<Release>, string]>([
    [{}, 'Offered to all installed apps'],
    [
      { updateProblem: 'no_archive' },
      'Offered to no app with electron-updater, because for one kind of Mac or both it has no archive (.zip), or an empty one',
    ],
    [
      { updateProblem: 'misleading_names', isAvailable: false },
      'Once enabled, offered to no app with electron-updater, because they would misread the names of its archives',
    ],
    [
      { updateProblem: 'no_checksum' },
      'Offered to no app with electron-updater, because the checksums of its archives are not worked out yet',
    ],
    [
      { updateProblem: 'no_checksum', isAvailable: false },
      'Once enabled, offered to all installed apps',
    ],
    [
      { updateProblem: 'no_archive', rolloutPercentage: 0 },
      'Offered to nobody, and not available for download',
    ],
    [
      {
        isAvailable: false,
        rolloutPercentage: 1,
        nextPercentage: 5,
        nextPercentageAt: '2026-11-29T10:00:00Z',
      },
      'Once enabled, offered to about 1% of installed apps; 5% a day later. Choose a percentage to stop the rise.',
    ],
  ])('%o', (change, words) => {
    expect(rolloutWords(release(change))).toBe(words)
  })
})
