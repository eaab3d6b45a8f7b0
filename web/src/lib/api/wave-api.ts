import { number, string } from 'valibot'
import { api } from './api'
import { onSuccess } from './on-success'
import { rows, shape } from './shape'
import type { Wave, WaveAction, Waves, WaveStart } from './types'

const wave = shape<Wave>({
  id: string(),
  state: string(),
  total: number(),
  approved: number(),
  undone: number(),
  failures: rows(shape<Wave['failures'][number]>({ id: string(), email: string() })),
})

const queries = api.injectEndpoints({
  endpoints: (build) => ({
    getWaves: build.query<Wave[], void>({
      query: () => 'get-waves',
      rawResponseSchema: shape<Waves>({ data: rows(wave) }),
      transformResponse: ({ data }: Waves) => data,
      providesTags: ['Waves'],
    }),
    /** What a wave would be, such as how many people it has. */
    previewWave: build.query<Wave, WaveStart>({
      query: (start) => ({ url: 'start-wave', method: 'POST', body: { ...start, preview: true } }),
      rawResponseSchema: wave,
      keepUnusedDataFor: 0,
    }),
  }),
})

/** Waves: approvals of many, which the server makes in the background. */
export const waveApi = queries.injectEndpoints({
  endpoints: (build) => ({
    startWave: build.mutation<Wave, WaveStart>({
      query: (body) => ({ url: 'start-wave', method: 'POST', body }),
      rawResponseSchema: wave,
      invalidatesTags: ['Waves'],
    }),
    /** Updates the wave in the cached list. */
    changeWave: build.mutation<Wave, { waveId: string; action: WaveAction }>({
      query: (body) => ({ url: 'change-wave', method: 'POST', body }),
      rawResponseSchema: wave,
      invalidatesTags: (_wave, error) => (error ? ['Waves'] : []),
      onQueryStarted: onSuccess((now) =>
        queries.util.updateQueryData('getWaves', undefined, (waves) =>
          waves.map((wave) => (wave.id === now.id ? now : wave)),
        ),
      ),
    }),
  }),
})

export const {
  useGetWavesQuery,
  usePreviewWaveQuery,
  useStartWaveMutation,
  useChangeWaveMutation,
} = waveApi
