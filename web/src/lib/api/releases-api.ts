import { array, boolean, number, string } from 'valibot'
import { api } from './api'
import { onSuccess } from './on-success'
import { part, rows, shape } from './shape'
import type {
  Channel,
  CreatedPreviewLink,
  DownloadInfo,
  DownloadStats,
  LatestDownloads,
  Message,
  PreviewLink,
  PreviewLinks,
  Release,
  ReleaseList,
  UpdateChannel,
  UpdateExplanation,
  VersionUsage,
} from './types'

const downloadInfo = shape<DownloadInfo>({ url: string(), filename: string(), version: string() })

const latestDownloads = shape<LatestDownloads>({
  arm64: part(downloadInfo),
  x64: part(downloadInfo),
})

/** Of rows only the fields that are summed up are validated: a row that cannot be rendered has an error boundary. */
const releaseList = shape<ReleaseList>({
  releases: rows(
    shape<Release>({
      id: number(),
      version: string(),
      downloadCount: number(),
      isAvailable: boolean(),
    }),
  ),
  lastCheck: part(string()),
})

const downloadStats = shape<DownloadStats>({
  days: array(shape<DownloadStats['days'][number]>({ day: string(), total: number() })),
  versions: rows(
    shape<DownloadStats['versions'][number]>({
      version: string(),
      total: number(),
      arm64: number(),
      x64: number(),
    }),
  ),
})

const usageShares = array(shape<VersionUsage['archs'][number]>({ name: string(), total: number() }))

const versionUsage = shape<VersionUsage>({
  days: array(shape<VersionUsage['days'][number]>({ day: string(), versions: usageShares })),
  archs: usageShares,
  systems: usageShares,
  channels: usageShares,
})

const previewLink = shape<PreviewLink>({ id: number(), createdAt: string(), endsAt: string() })

const message = shape<Message>({ message: part(string()) })

const queries = api.injectEndpoints({
  endpoints: (build) => ({
    getReleases: build.query<ReleaseList, void>({
      query: () => 'get-github-releases',
      rawResponseSchema: releaseList,
      providesTags: ['Releases'],
    }),
    /** Downloads through this site: of the last 30 days, and of every version. */
    getDownloadStats: build.query<DownloadStats, void>({
      query: () => 'get-download-stats',
      rawResponseSchema: downloadStats,
    }),
    /** Update checks of the last 30 days. */
    getVersionUsage: build.query<VersionUsage, void>({
      query: () => 'get-version-usage',
      rawResponseSchema: versionUsage,
    }),
    /** What one installed app is offered, and why; an empty id, architecture or version is none. */
    explainUpdate: build.query<
      UpdateExplanation,
      { stagingId: string; channel: Channel; arch: string; version: string }
    >({
      query: ({ stagingId, channel, arch, version }) => ({
        url: 'explain-update',
        params: {
          channel,
          stagingId: stagingId || undefined,
          arch: arch || undefined,
          version: version || undefined,
        },
      }),
      rawResponseSchema: shape<UpdateExplanation>({ sentences: array(string()) }),
    }),
    /** The links to a version that have not ended. */
    getPreviewLinks: build.query<PreviewLinks, string>({
      query: (version) => ({ url: 'get-preview-links', params: { version } }),
      rawResponseSchema: shape<PreviewLinks>({ links: rows(previewLink) }),
      providesTags: ['PreviewLinks'],
    }),
    /**
     * The channel that the visitor's app follows, and the newest builds on it. It is not retried: whoever asks shows the
     * stable builds instead.
     */
    getUpdateChannel: build.query<UpdateChannel, void>({
      query: () => 'get-update-channel',
      rawResponseSchema: shape<UpdateChannel>({ downloads: latestDownloads }),
      extraOptions: { retryCondition: () => false },
    }),
    getLatestDownloads: build.query<LatestDownloads, void>({
      query: () => 'get-latest-downloads',
      rawResponseSchema: latestDownloads,
      extraOptions: { access: 'public' },
    }),
  }),
})

/** Updates a release in the cached list. */
const patchRelease = ({ id }: Release, change: Partial<Release>) =>
  queries.util.updateQueryData('getReleases', undefined, (list) => {
    const changed = list.releases.find((release) => release.id === id)
    if (changed) Object.assign(changed, change)
  })

/** A change may be made although its answer was lost. */
const afterFailure = (_message: unknown, error: unknown) => (error ? (['Releases'] as const) : [])

export const releasesApi = queries.injectEndpoints({
  endpoints: (build) => ({
    /** Idempotent: sends the wanted state, not a toggle. */
    setReleaseAvailability: build.mutation<Message, { release: Release; isAvailable: boolean }>({
      query: ({ release, isAvailable }) => ({
        url: 'toggle-release-availability',
        method: 'POST',
        body: { releaseId: release.id, version: release.version, isAvailable },
      }),
      rawResponseSchema: message,
      invalidatesTags: afterFailure,
      onQueryStarted: onSuccess((_message, { release, isAvailable }) =>
        patchRelease(release, {
          isAvailable,
          replacedAt: null,
          promotedAt: release.chosenChannel && release.promotedAt,
          isRequired: isAvailable && release.isRequired,
        }),
      ),
    }),
    /** Which apps a release is for; null as GitHub marks it. */
    setReleaseChannel: build.mutation<Message, { release: Release; channel: Channel | null }>({
      query: ({ release, channel }) => ({
        url: 'set-release-channel',
        method: 'POST',
        body: { releaseId: release.id, version: release.version, channel: channel ?? 'github' },
      }),
      rawResponseSchema: message,
      invalidatesTags: ['Releases'],
    }),
    /** Whether installed apps that are older have to update. */
    setReleaseRequired: build.mutation<Message, { release: Release; isRequired: boolean }>({
      query: ({ release, isRequired }) => ({
        url: 'set-release-required',
        method: 'POST',
        body: { releaseId: release.id, version: release.version, isRequired },
      }),
      rawResponseSchema: message,
      invalidatesTags: afterFailure,
      onQueryStarted: onSuccess((_message, { release, isRequired }) =>
        patchRelease(release, { isRequired }),
      ),
    }),
    /** The part of the installed apps, 0 to 100 per cent, that a release is offered to. */
    setReleaseRollout: build.mutation<Message, { release: Release; percentage: number }>({
      query: ({ release, percentage }) => ({
        url: 'set-release-rollout',
        method: 'POST',
        body: { releaseId: release.id, version: release.version, percentage },
      }),
      rawResponseSchema: message,
      invalidatesTags: afterFailure,
      onQueryStarted: onSuccess((_message, { release, percentage }) =>
        patchRelease(release, {
          rolloutPercentage: percentage,
          nextPercentage: null,
          nextPercentageAt: null,
        }),
      ),
    }),
    /** A link by which whoever has it downloads a release for some days; its addresses are in this answer alone. */
    createPreviewLink: build.mutation<CreatedPreviewLink, { release: Release; days: number }>({
      query: ({ release, days }) => ({
        url: 'create-preview-link',
        method: 'POST',
        body: { releaseId: release.id, version: release.version, days },
      }),
      rawResponseSchema: shape<CreatedPreviewLink>({
        link: previewLink,
        downloads: rows(
          shape<CreatedPreviewLink['downloads'][number]>({ filename: string(), url: string() }),
        ),
      }),
      invalidatesTags: ['PreviewLinks'],
    }),
    revokePreviewLink: build.mutation<Message, { release: Release; linkId: number }>({
      query: ({ linkId }) => ({ url: 'revoke-preview-link', method: 'POST', body: { linkId } }),
      rawResponseSchema: message,
      // A link that has ended meanwhile is refused, and goes from the list, too.
      invalidatesTags: (_message, error) => (error ? ['PreviewLinks'] : []),
      onQueryStarted: onSuccess((_message, { release, linkId }) =>
        queries.util.updateQueryData('getPreviewLinks', release.version, ({ links }) => ({
          links: links.filter(({ id }) => id !== linkId),
        })),
      ),
    }),
    /** From 1 per cent up, by itself. */
    raiseReleaseRollout: build.mutation<Message, Release>({
      query: ({ id, version }) => ({
        url: 'set-release-rollout',
        method: 'POST',
        body: { releaseId: id, version, rises: true },
      }),
      rawResponseSchema: message,
      invalidatesTags: ['Releases'],
    }),
  }),
})

export const {
  useGetReleasesQuery,
  useSetReleaseAvailabilityMutation,
  useSetReleaseChannelMutation,
  useSetReleaseRequiredMutation,
  useSetReleaseRolloutMutation,
  useRaiseReleaseRolloutMutation,
  useGetDownloadStatsQuery,
  useGetLatestDownloadsQuery,
  useGetUpdateChannelQuery,
  useGetVersionUsageQuery,
  useLazyExplainUpdateQuery,
  useGetPreviewLinksQuery,
  useCreatePreviewLinkMutation,
  useRevokePreviewLinkMutation,
} = releasesApi
