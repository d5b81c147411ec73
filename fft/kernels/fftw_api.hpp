// FFTW's functions for each precision.
#pragma once

#include <fftw3.h>

#include <mutex>

namespace toroid::fft::local {

/// Locked while FFTW makes or destroys a plan or uses wisdom, because FFTW's only thread-safe
/// functions are those that execute plans.
inline constinit std::mutex planner;

template <typename Real>
struct Fftw;

template <>
struct Fftw<double> {
  using Complex = fftw_complex;
  using Plan = fftw_plan_s;
  static constexpr auto plan_complex = &fftw_plan_guru64_dft;
  static constexpr auto plan_real_to_half = &fftw_plan_guru64_dft_r2c;
  static constexpr auto plan_half_to_real = &fftw_plan_guru64_dft_c2r;
  static constexpr auto plan_real = &fftw_plan_guru64_r2r;
  static constexpr auto run_complex = &fftw_execute_dft;
  static constexpr auto run_real_to_half = &fftw_execute_dft_r2c;
  static constexpr auto run_half_to_real = &fftw_execute_dft_c2r;
  static constexpr auto run_real = &fftw_execute_r2r;
  static constexpr auto destroy = &fftw_destroy_plan;
  static constexpr auto alignment_of = &fftw_alignment_of;
  static constexpr auto import_wisdom = &fftw_import_wisdom_from_string;
  static constexpr auto export_wisdom = &fftw_export_wisdom_to_string;
  static constexpr auto forget_wisdom = &fftw_forget_wisdom;
};

template <>
struct Fftw<float> {
  using Complex = fftwf_complex;
  using Plan = fftwf_plan_s;
  static constexpr auto plan_complex = &fftwf_plan_guru64_dft;
  static constexpr auto plan_real_to_half = &fftwf_plan_guru64_dft_r2c;
  static constexpr auto plan_half_to_real = &fftwf_plan_guru64_dft_c2r;
  static constexpr auto plan_real = &fftwf_plan_guru64_r2r;
  static constexpr auto run_complex = &fftwf_execute_dft;
  static constexpr auto run_real_to_half = &fftwf_execute_dft_r2c;
  static constexpr auto run_half_to_real = &fftwf_execute_dft_c2r;
  static constexpr auto run_real = &fftwf_execute_r2r;
  static constexpr auto destroy = &fftwf_destroy_plan;
  static constexpr auto alignment_of = &fftwf_alignment_of;
  static constexpr auto import_wisdom = &fftwf_import_wisdom_from_string;
  static constexpr auto export_wisdom = &fftwf_export_wisdom_to_string;
  static constexpr auto forget_wisdom = &fftwf_forget_wisdom;
};

}  // namespace toroid::fft::local
