import { api } from './api'
import type { LatestDownloads, Message, Release, ReleaseList } from './types'

export const releasesApi = api.injectEndpoints({
  endpoints: (build) => ({
    getReleases: build.query<ReleaseList, void>({
      query: () => 'get-github-releases',
      extraOptions: { access: 'user' },
      providesTags: ['Releases'],
    }),
    /** Sends the wanted state, not a flip, so that a repeat changes nothing. */
    setReleaseAvailability: build.mutation<Message, { release: Release; isAvailable: boolean }>({
      query: ({ release, isAvailable }) => ({
        url: 'toggle-release-availability',
        method: 'POST',
        body: { releaseId: release.id, version: release.version, isAvailable },
      }),
      extraOptions: { access: 'user' },
      // The list changes only once the server has agreed (spec section 4).
      async onQueryStarted({ release, isAvailable }, { dispatch, queryFulfilled }) {
        const done = await queryFulfilled.then(
          () => true,
          () => false,
        )
        if (!done) return
        dispatch(
          releasesApi.util.updateQueryData('getReleases', undefined, (list) => {
            const changed = list.releases.find(({ id }) => id === release.id)
            if (changed) changed.isAvailable = isAvailable
          }),
        )
      },
    }),
    getLatestDownloads: build.query<LatestDownloads, void>({
      query: () => 'get-latest-downloads',
    }),
  }),
})

export const {
  useGetReleasesQuery,
  useSetReleaseAvailabilityMutation,
  useGetLatestDownloadsQuery,
} = releasesApi
