import { boolean, string } from 'valibot'
import { api } from './api'
import { onSuccess } from './on-success'
import { part, rows, shape } from './shape'
import type { Device, DeviceList } from './types'

const queries = api.injectEndpoints({
  endpoints: (build) => ({
    /** Where the person is signed in, the device that asks first. */
    getDevices: build.query<Device[], void>({
      query: () => 'auth/devices',
      rawResponseSchema: shape<DeviceList>({
        data: rows(
          shape<Device>({
            id: string(),
            kind: string(),
            name: string(),
            user_agent: string(),
            ip_address: part(string()),
            last_active_at: string(),
            current: boolean(),
          }),
        ),
      }),
      transformResponse: ({ data }: DeviceList) =>
        [...data].sort((a, b) => Number(b.current) - Number(a.current)),
      providesTags: ['Devices'],
    }),
  }),
})

export const devicesApi = queries.injectEndpoints({
  endpoints: (build) => ({
    revokeDevice: build.mutation<null, string>({
      query: (device_id) => ({ url: 'auth/revoke-device', method: 'POST', body: { device_id } }),
      // A device that is not found has signed out by itself.
      invalidatesTags: (_answer, error) => (error ? ['Devices'] : []),
      onQueryStarted: onSuccess((_answer, id) =>
        queries.util.updateQueryData('getDevices', undefined, (devices) =>
          devices.filter((device) => device.id !== id),
        ),
      ),
    }),
    /** Ends every session of the account but this browser's. */
    signOutOthers: build.mutation<null, void>({
      query: () => ({ url: 'auth/sign-out', method: 'POST', body: { scope: 'others' } }),
      invalidatesTags: ['Devices'],
    }),
  }),
})

export const { useGetDevicesQuery, useRevokeDeviceMutation, useSignOutOthersMutation } = devicesApi
